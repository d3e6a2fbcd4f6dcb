#include "io/image/geometry.hpp"

namespace gpuccl::io {

Geometry geometry_of(const Spacing& spacing) {
  Geometry geometry;
  const bool is_counted = spacing.unit_name == "pixel" || spacing.unit_name == "pixels";
  if (spacing.unit_name.empty() || is_counted || !(spacing.x_resolution > 0) || !(spacing.y_resolution > 0))
    return geometry;
  geometry.spacing = {1 / spacing.x_resolution, 1 / spacing.y_resolution, spacing.z_spacing};
  geometry.unit = spacing.unit_name;
  return geometry;
}

Spacing spacing_of(const Geometry& geometry) {
  Spacing spacing;
  if (!geometry.is_known()) return spacing;
  spacing.x_resolution = 1 / geometry.spacing[0];
  spacing.y_resolution = 1 / geometry.spacing[1];
  spacing.z_spacing = geometry.spacing[2];
  spacing.unit_name = geometry.unit;
  return spacing;
}

}  // namespace gpuccl::io
