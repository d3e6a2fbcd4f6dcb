#include "gpuccl/parts.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

ValueFaces faces_of(const ValueImage& image, const Slab& slab, Extent whole, Connectivity connectivity) {
  ValueFaces faces{image.type(), image.delta(), {}, {}};
  if (image.delta() == 0) return faces;
  const SlabFaces geometry(slab, whole, connectivity);
  const auto rows_from = [&](std::int64_t row) {
    const std::byte* const begin = image.elements(row);
    return std::vector<std::byte>(begin, begin + geometry.bytes(image.type()));
  };
  if (geometry.before) faces.first = rows_from(0);
  if (geometry.next) faces.last = rows_from(image.extent().rows() - geometry.rows);
  return faces;
}

}  // namespace gpuccl
