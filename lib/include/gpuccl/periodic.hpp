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

/// Axes x, y, z with periodic borders, as in simulation boxes.
using PeriodicAxes = std::array<bool, 3>;

/// Wrapping of a component along a periodic axis.
enum class Wrap : std::uint8_t {
  none,
  across,  // it continues at the opposite border
  around   // it meets itself: it percolates (spanning cluster)
};

/// The components of a periodic image.
struct Wrapped {
  std::vector<Label> map;  // label -> final label in raster order; 0 stays 0
  /// Unwrapped components: box and sums continue beyond the border. A box begins within the image and
  /// may end beyond it. Along an axis with Wrap::around, coordinates are those in the image.
  Components components;
  std::vector<std::array<Wrap, 3>> wraps;  // per component
};

/// Bytes that wrap() needs per component.
inline constexpr std::size_t kBytesToWrap =
    Components::kBytesEach + 2 * sizeof(Label) + 3 * sizeof(std::int32_t) + 2 * 3 * sizeof(Wrap);

/// Throws Error (usage) if a periodic axis has one element, or is z and slices are labeled separately.
void check_periodic(const Extent& extent, Connectivity connectivity, const PeriodicAxes& periodic);

/// Merges components of `labels` that touch across opposite borders. Requires labels without periodic
/// axes, their `components`, and for a multi-label image one of `values` each; only equal values are
/// merged.
/// Reads rows in ascending order. Time: O(border runs + components), plus two labels per row if x is
/// periodic. Throws as check_periodic(), and Error (data) if unwrapped coordinates exceed 2^31.
Wrapped wrap(const LabelSource& labels, const Components& components, Connectivity connectivity,
             const PeriodicAxes& periodic, std::span<const std::uint64_t> values = {});

}  // namespace gpuccl
