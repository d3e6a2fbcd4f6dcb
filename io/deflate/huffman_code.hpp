#pragma once

#include <cstdint>
#include <span>

namespace gpuccl::io {

/// The lengths of the codes of an optimal prefix code of which none has more than `max_length` bits, by
/// package-merge (Larmore and Hirschberg 1990). Symbols of frequency 0 get length 0; at least two others are
/// needed, and the code is then complete, as strict decoders want it.
void find_code_lengths(std::span<const std::uint32_t> frequencies, int max_length,
                       std::span<std::uint8_t> lengths);

/// Deflate's codes of these lengths, their bits in the order in which they are written.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes);

}  // namespace gpuccl::io
