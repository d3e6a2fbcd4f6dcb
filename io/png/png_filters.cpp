#include "io/png/png_filters.hpp"

#include <cstdlib>
#include <cstring>

namespace gpuccl::io {
namespace {

void restore_up(std::size_t bytes, const std::uint8_t* above, std::uint8_t* row) {
  constexpr std::size_t kBlock = 64;  // a number that compilers know makes a loop of vectors
  std::size_t i = 0;
  for (; i + kBlock <= bytes; i += kBlock) {
    std::uint8_t sum[kBlock];
    std::memcpy(sum, row + i, kBlock);
    for (std::size_t k = 0; k < kBlock; ++k) sum[k] = static_cast<std::uint8_t>(sum[k] + above[i + k]);
    std::memcpy(row + i, sum, kBlock);
  }
  for (; i < bytes; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i]);
}

/// The one of `left`, `above` and `corner` nearest to left + above - corner.
int paeth(int left, int above, int corner) {
  const int to_left = std::abs(above - corner);
  const int to_above = std::abs(left - corner);
  const int to_corner = std::abs(left + above - 2 * corner);
  const int nearer = to_above <= to_corner ? above : corner;
  return to_left <= to_above && to_left <= to_corner ? left : nearer;
}

/// Adds predict(left, above, corner) to every byte; those outside of the image are 0.
template <std::size_t pixel, class Predict>
void restore(std::size_t bytes, const std::uint8_t* above, std::uint8_t* row, Predict predict) {
  int left[pixel] = {}, corner[pixel] = {};
  for (std::size_t i = 0; i < bytes; i += pixel)
    for (std::size_t k = 0; k < pixel; ++k) {
      const int up = above != nullptr ? above[i + k] : 0;
      const auto restored = static_cast<std::uint8_t>(row[i + k] + predict(left[k], up, corner[k]));
      row[i + k] = restored;
      left[k] = restored;
      corner[k] = up;
    }
}

template <std::size_t pixel>
void restore_row(PngFilter filter, std::size_t bytes, const std::uint8_t* above, std::uint8_t* row) {
  switch (filter) {
    case PngFilter::none:
      return;
    case PngFilter::sub:
      return restore<pixel>(bytes, nullptr, row, [](int left, int, int) { return left; });
    case PngFilter::up:
      if (above != nullptr) restore_up(bytes, above, row);
      return;
    case PngFilter::average:
      return restore<pixel>(bytes, above, row, [](int left, int up, int) { return (left + up) / 2; });
    case PngFilter::paeth:
      return restore<pixel>(bytes, above, row, paeth);
  }
}

}  // namespace

void restore_row(PngFilter filter, std::size_t pixel_bytes, std::size_t bytes, const std::uint8_t* above,
                 std::uint8_t* row) {
  switch (pixel_bytes) {
    case 1:
      return restore_row<1>(filter, bytes, above, row);
    case 2:
      return restore_row<2>(filter, bytes, above, row);
    case 3:
      return restore_row<3>(filter, bytes, above, row);
    case 4:
      return restore_row<4>(filter, bytes, above, row);
    case 6:
      return restore_row<6>(filter, bytes, above, row);
    default:
      return restore_row<8>(filter, bytes, above, row);
  }
}

}  // namespace gpuccl::io
