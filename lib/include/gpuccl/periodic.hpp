#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Along which of x, y, z opposite borders touch, as in the periodic boxes of simulations.
using PeriodicAxes = std::array<bool, 3>;

/// How a component goes across the border of a periodic axis.
enum class Wrap : std::uint8_t {
  none,
  across,  // it goes on at the opposite border
  around   // it meets itself there: it percolates
};

/// The components of a periodic image.
struct Wrapped {
  std::vector<Label> map;  // label -> label of the whole component, in raster order; 0 stays 0
  /// Unwrapped: each component as if it went on beyond the border, so that boxes and sums are those of its
  /// shape. A box begins within the image, and may end beyond it. Along an axis that a component goes around
  /// there is no such place: coordinates are those in the image.
  Components components;
  std::vector<std::array<Wrap, 3>> wraps;  // of each component
};

/// Bytes that wrap() takes for each component.
inline constexpr std::size_t kBytesToWrap =
    Components::kBytesEach + 2 * sizeof(Label) + 3 * sizeof(std::int32_t) + 2 * 3 * sizeof(Wrap);

/// Error (usage) if a periodic axis has one element, or is z and slices are labeled on their own.
void check_periodic(const Extent& extent, Connectivity connectivity, const PeriodicAxes& periodic);

/// Unites the components of `labels`, labeled by `connectivity` without periodic axes, that touch across
/// opposite borders; `components` are theirs, and with `values`, one of each, only those of one value are
/// united. O(runs at the borders + components), and one label for each end of a row if x is periodic. Rows
/// are asked for in ascending order. Error as check_periodic(), or (data) if coordinates of an unwrapped
/// component pass 2^31.
Wrapped wrap(const LabelSource& labels, const Components& components, Connectivity connectivity,
             const PeriodicAxes& periodic, std::span<const std::uint64_t> values = {});

}  // namespace gpuccl
