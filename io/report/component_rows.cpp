#include "io/report/component_rows.hpp"

namespace gpuccl::io {

std::optional<PhysicalScale> physical_scale(const Geometry& geometry, int axes) {
  if (!geometry.is_known(axes)) return std::nullopt;
  PhysicalScale scale{1, orientation_of(geometry)};
  for (int axis = 0; axis < axes; ++axis) scale.element *= geometry.spacing[static_cast<std::size_t>(axis)];
  return scale;
}

}  // namespace gpuccl::io
