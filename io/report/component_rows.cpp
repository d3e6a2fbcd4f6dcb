#include "io/report/component_rows.hpp"

#include <bit>

namespace gpuccl::io {

std::optional<PhysicalScale> physical_scale(const Geometry& geometry, int axes) {
  if (!geometry.is_known(axes)) return std::nullopt;
  PhysicalScale scale{1, orientation_of(geometry)};
  for (int axis = 0; axis < axes; ++axis) scale.element *= geometry.spacing[static_cast<std::size_t>(axis)];
  return scale;
}

char* put_value(char* out, ValueType type, ValueBits value) {
  if (is_floating(type)) return put_shortest(out, std::bit_cast<double>(value));
  char* const end = out + kDecimalRoom;
  return is_signed(type) ? std::to_chars(out, end, static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(out, end, value).ptr;
}

}  // namespace gpuccl::io
