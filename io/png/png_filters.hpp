#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuccl::io {

/// Filter type, the byte before every row of a PNG.
enum class PngFilter : std::uint8_t { none, sub, up, average, paeth };

/// Whether a row can be restored without the one above.
inline bool is_independent(PngFilter filter) { return filter <= PngFilter::sub; }

/// Restores a row of `bytes` bytes in place. `above` is the row above, restored, or null for the first one;
/// `pixel_bytes` the bytes of a pixel, 1 if it has less than one: 1, 2, 3, 4, 6 or 8.
void restore_row(PngFilter filter, std::size_t pixel_bytes, std::size_t bytes, const std::uint8_t* above,
                 std::uint8_t* row);

}  // namespace gpuccl::io
