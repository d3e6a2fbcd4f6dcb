#include "common/c_status.hpp"
#include "gpuccl/device.hpp"
#include "gpuccl/gpuccl.h"
#include "gpuccl/types.hpp"

struct gpuccl_device_labeler {
  gpuccl::DeviceLabeler by_name;
};

namespace {

using namespace gpuccl;

static_assert(sizeof(gpuccl_component) == sizeof(DeviceComponent));

DeviceImage::Format format_of(int bits_per_element) {
  if (bits_per_element == 1) return DeviceImage::Format::bits;
  if (bits_per_element == 8) return DeviceImage::Format::bytes;
  throw Error(ErrorCode::usage, "labeling on a device: elements have 1 or 8 bits");
}

DeviceImage image_of(const gpuccl_device_image& image) {
  return {image.data, format_of(image.bits_per_element), to_extent(image.extent), image.row_pitch,
          image.slice_pitch};
}

DeviceLabels labels_of(const gpuccl_device_result& result) {
  DeviceLabels labels{{}, result.label_row_pitch, result.label_slice_pitch};
  if (result.labels == nullptr) return labels;
  if (result.bytes_per_label == 4)
    labels.data = static_cast<std::uint32_t*>(result.labels);
  else if (result.bytes_per_label == 2)
    labels.data = static_cast<std::uint16_t*>(result.labels);
  else
    throw Error(ErrorCode::usage, "labeling on a device: labels have 2 or 4 bytes");
  return labels;
}

DeviceResult result_of(const gpuccl_device_result& result) {
  return {labels_of(result), result.count, reinterpret_cast<DeviceComponent*>(result.components),
          result.capacity};
}

static_assert(static_cast<int>(ValueType::u8) == GPUCCL_U8 && static_cast<int>(ValueType::i8) == GPUCCL_I8 &&
              static_cast<int>(ValueType::f64) == GPUCCL_F64);

}  // namespace

extern "C" {

gpuccl_status gpuccl_device_workspace_bytes(gpuccl_extent extent, int connectivity, size_t* bytes) {
  return status_of(
      [&] { *bytes = device_workspace_bytes(to_extent(extent), static_cast<Connectivity>(connectivity)); });
}

gpuccl_status gpuccl_label_on_device(const gpuccl_device_image* image, int connectivity,
                                     const gpuccl_device_result* result, void* workspace,
                                     size_t workspace_bytes, struct CUstream_st* stream) {
  return status_of([&] {
    label_on_device(image_of(*image), static_cast<Connectivity>(connectivity), result_of(*result), workspace,
                    workspace_bytes, stream);
  });
}

gpuccl_status gpuccl_new_device_labeler(const char* algorithm, int connectivity,
                                        gpuccl_device_labeler** labeler) {
  return status_of([&] {
    const char* const name = algorithm != nullptr ? algorithm : "";
    *labeler = new gpuccl_device_labeler{DeviceLabeler(name, static_cast<Connectivity>(connectivity))};
  });
}

gpuccl_status gpuccl_label_on_device_by(gpuccl_device_labeler* labeler, const gpuccl_device_image* image,
                                        const gpuccl_device_result* result, struct CUstream_st* stream) {
  return status_of([&] {
    if (result->components != nullptr)
      throw Error(ErrorCode::usage, "labeling on a device: algorithms by name give no components");
    labeler->by_name.label(image_of(*image), labels_of(*result), result->count, stream);
  });
}

void gpuccl_delete_device_labeler(gpuccl_device_labeler* labeler) { delete labeler; }

gpuccl_status gpuccl_device_value_workspace_bytes(gpuccl_extent extent, int connectivity, size_t* bytes) {
  return status_of([&] {
    *bytes = device_value_workspace_bytes(to_extent(extent), static_cast<Connectivity>(connectivity));
  });
}

gpuccl_status gpuccl_label_values_on_device(const gpuccl_device_value_image* image, int connectivity,
                                            const gpuccl_device_result* result, uint64_t* values,
                                            void* workspace, size_t workspace_bytes,
                                            struct CUstream_st* stream) {
  return status_of([&] {
    const DeviceValueImage from{image->data,
                                static_cast<ValueType>(image->type),
                                to_extent(image->extent),
                                image->row_pitch,
                                image->slice_pitch,
                                image->delta};
    label_values_on_device(from, static_cast<Connectivity>(connectivity), result_of(*result), values,
                           workspace, workspace_bytes, stream);
  });
}

}  // extern "C"
