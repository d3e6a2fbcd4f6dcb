// The Hilbert curve, in two or three dimensions, one element wide, as in YACCLAB's Hilbert dataset: one
// component that visits 2^order places along each axis, spread over the extent.
//
//   J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004, doi:10.1063/1.1751381

#include <algorithm>
#include <array>

#include "common/row_bits.hpp"
#include "generate/kinds.hpp"

namespace gpuccl::generators {
namespace {

using Place = std::array<std::uint32_t, 3>;

/// Skilling's TransposetoAxes: from the distance along the curve to the place, in `axes` dimensions.
Place place_at(std::uint64_t distance, int axes, int order) {
  Place place{};
  for (int bit = 0; bit < axes * order; ++bit) {
    const std::uint32_t value = static_cast<std::uint32_t>(distance >> (axes * order - 1 - bit) & 1u);
    place[static_cast<std::size_t>(bit % axes)] |= value << (order - 1 - bit / axes);
  }
  const std::size_t last = static_cast<std::size_t>(axes - 1);
  const std::uint32_t carry = place[last] >> 1;
  for (std::size_t i = last; i > 0; --i) place[i] ^= place[i - 1];  // Gray decode
  place[0] ^= carry;
  for (std::uint32_t bit = 2; bit != std::uint32_t{1} << order; bit <<= 1) {  // undo excess work
    const std::uint32_t low = bit - 1;
    for (std::size_t i = last + 1; i-- > 0;) {
      if (place[i] & bit) {
        place[0] ^= low;
      } else {
        const std::uint32_t swapped = (place[0] ^ place[i]) & low;
        place[0] ^= swapped;
        place[i] ^= swapped;
      }
    }
  }
  return place;
}

}  // namespace

void hilbert(const GenerateOptions& options, BitVolume& image) {
  const Extent extent = image.extent();
  const int axes = extent.depth > 1 ? 3 : 2;
  const std::int64_t side = std::int64_t{1} << options.order;
  const auto position = [&](std::uint32_t place, int size) {
    return static_cast<int>((2 * std::int64_t{place} + 1) * size / (2 * side));
  };

  std::array<int, 3> previous{};
  for (std::uint64_t distance = 0; distance < std::uint64_t{1} << (axes * options.order); ++distance) {
    const Place place = place_at(distance, axes, options.order);
    const std::array<int, 3> here{position(place[0], extent.width), position(place[1], extent.height),
                                  axes == 3 ? position(place[2], extent.depth) : 0};
    if (distance == 0) previous = here;
    for (int z = std::min(previous[2], here[2]); z <= std::max(previous[2], here[2]); ++z)
      for (int y = std::min(previous[1], here[1]); y <= std::max(previous[1], here[1]); ++y)
        fill_span(image.row(y, z), std::min(previous[0], here[0]), std::max(previous[0], here[0]) + 1);
    previous = here;
  }
}

}  // namespace gpuccl::generators
