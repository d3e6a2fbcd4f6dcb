#pragma once

#include <cstdint>
#include <span>

#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {

/// Begins a block with codes of its own (RFC 1951, 3.2.7): the lengths of both codes, without the zeros at
/// their ends, in a code of their own.
void write_block_header(BitWriter& writer, bool is_last, std::span<const std::uint8_t> literals,
                        std::span<const std::uint8_t> distances);

}  // namespace gpuccl::io
