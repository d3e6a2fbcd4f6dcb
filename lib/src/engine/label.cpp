#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/c_status.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/gpuccl.h"

namespace gpuccl {
namespace {

Labeling label_by_runs(BitView image, Connectivity connectivity) {
  const Variant* variant = find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity);
  if (variant == nullptr) throw Error(ErrorCode::usage, "labeling: connectivity is 4, 8, 6, 18 or 26");
  return variant->make(0)->label(image);
}

BitVolume bits_of(const gpuccl_image& image) {
  const Extent extent = to_extent(image.extent);
  if (image.bits_per_element != 1 && image.bits_per_element != 8)
    throw Error(ErrorCode::usage, "labeling: elements have 1 or 8 bits");
  if (extent.width < 0 || extent.height < 0 || extent.depth < 0 || image.row_pitch < 0)
    throw Error(ErrorCode::usage, "labeling: extents and pitches are not negative");
  if (extent.width == 0 || extent.rows() == 0) return BitVolume(extent);
  if (image.data == nullptr) throw Error(ErrorCode::usage, "labeling: the image has no data");
  const std::int64_t row = image.bits_per_element == 1 ? (std::int64_t{extent.width} + 7) / 8 : extent.width;
  if (extent.rows() > PTRDIFF_MAX / std::max(row, image.row_pitch))
    throw Error(ErrorCode::memory, "labeling: the image is larger than memory");
  const std::span bytes(static_cast<const std::uint8_t*>(image.data),
                        PTRDIFF_MAX);  // the caller knows the size of the array
  return image.bits_per_element == 1 ? from_bits(bytes, extent, BitOrder::lsb_first, image.row_pitch)
                                     : from_bytes(bytes, extent, image.row_pitch);
}

gpuccl_component c_component(const Component& component) {
  gpuccl_component out{};
  out.area = component.area;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out.sum[axis] = static_cast<unsigned long long>(component.sum[axis]);
    out.min[axis] = component.box.min[axis];
    out.max[axis] = component.box.max[axis];
  }
  return out;
}

void label_for_c(const gpuccl_image& image, int connectivity, std::uint32_t* labels,
                 unsigned long long* count, std::span<gpuccl_component> components) {
  const BitVolume bits = bits_of(image);
  const Labeling labeled = label_by_runs(bits.view(), static_cast<Connectivity>(connectivity));
  if (labels != nullptr) render_all(*labeled.labels, labels);
  if (count != nullptr) *count = labeled.components.size();
  for (std::size_t i = 0; i < std::min(components.size(), labeled.components.size()); ++i)
    components[i] = c_component(labeled.components[i]);
}

}  // namespace

LabeledImage label(BitView image, Connectivity connectivity) {
  Labeling labeled = label_by_runs(image, connectivity);
  return {render_all(*labeled.labels), std::move(labeled.components)};
}

Components label(BitView image, Connectivity connectivity, Label* labels) {
  Labeling labeled = label_by_runs(image, connectivity);
  render_all(*labeled.labels, labels);
  return std::move(labeled.components);
}

}  // namespace gpuccl

extern "C" {

gpuccl_status gpuccl_label(const gpuccl_image* image, int connectivity, uint32_t* labels,
                           unsigned long long* count, gpuccl_component* components, size_t capacity) {
  return gpuccl::status_of([&] {
    gpuccl::label_for_c(*image, connectivity, labels, count,
                        {components, components == nullptr ? 0 : capacity});
  });
}

const char* gpuccl_last_error(void) { return gpuccl::last_c_error.c_str(); }

}  // extern "C"
