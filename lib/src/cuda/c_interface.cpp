#include <span>
#include <string>
#include <vector>

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

DeviceValueImage values_of(const gpuccl_device_value_image& image) {
  return {image.data,
          static_cast<ValueType>(image.type),
          to_extent(image.extent),
          image.row_pitch,
          image.slice_pitch,
          image.delta};
}

DeviceColumn column_of(const gpuccl_device_column& column) {
  DeviceColumn made;
  const std::string name = column.measure != nullptr ? column.measure : "";
  made.measure = find_measure(name);
  if (!made.measure && name != "label")
    throw Error(ErrorCode::usage, "labeling on a device: no measure is called '" + name + "'");
  made.is_past_end = column.is_past_end != 0;
  if (column.is_integer == 2)
    made.data = static_cast<std::int32_t*>(column.data);
  else if (column.is_integer != 0)
    made.data = static_cast<std::int64_t*>(column.data);
  else
    made.data = static_cast<double*>(column.data);
  return made;
}

std::vector<DeviceColumn> columns_of(std::span<const gpuccl_device_column> columns) {
  std::vector<DeviceColumn> made;
  for (const gpuccl_device_column& column : columns) made.push_back(column_of(column));
  return made;
}

DevicePairs pairs_of(const gpuccl_device_pairs& pairs) {
  const auto& counts = pairs.counts;
  return {pairs.a,      pairs.b,        {counts[0], counts[1], counts[2], counts[3], counts[4]},
          pairs.first,  pairs.capacity, pairs.count,
          pairs.highest};
}

DeviceCleaning cleaning_of(const gpuccl_device_cleaning& given) {
  DeviceCleaning request;
  if ((given.mask.data == nullptr) == (given.values.data == nullptr))
    throw Error(ErrorCode::usage, "labeling on a device: either a mask or a multi-label image is needed");
  if (given.mask.data != nullptr)
    request.image = image_of(given.mask);
  else
    request.image = values_of(given.values);
  request.connectivity = static_cast<Connectivity>(given.connectivity);
  request.fill_holes = given.fill_holes;
  request.min_size = given.min_size;
  if (given.max_size != 0) request.max_size = given.max_size;
  request.largest = given.largest;
  request.clear_border = given.clear_border != 0;
  if (given.seeds.data != nullptr) request.seeds = image_of(given.seeds);
  request.from = values_of(given.from);
  if (given.filled != 0) request.filled = given.filled;
  request.type = static_cast<ValueType>(given.type);
  request.out = given.out;
  request.out_row_pitch = given.out_row_pitch;
  request.out_slice_pitch = given.out_slice_pitch;
  return request;
}

DeviceMeasuring measuring_of(const gpuccl_device_measuring& given, std::span<const DeviceColumn> columns) {
  return {values_of(given.labels),
          values_of(given.samples),
          given.largest,
          static_cast<Connectivity>(given.connectivity),
          {given.spacing[0], given.spacing[1], given.spacing[2]},
          columns,
          given.capacity,
          given.count,
          given.highest};
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
    label_values_on_device(values_of(*image), static_cast<Connectivity>(connectivity), result_of(*result),
                           values, workspace, workspace_bytes, stream);
  });
}

gpuccl_status gpuccl_highest_label_on_device(const gpuccl_device_value_image* labels,
                                             unsigned long long* highest, struct CUstream_st* stream) {
  return status_of([&] { highest_label_on_device(values_of(*labels), highest, stream); });
}

gpuccl_status gpuccl_device_measure_workspace_bytes(const gpuccl_device_measuring* request, size_t* bytes) {
  return status_of([&] {
    const std::vector<DeviceColumn> columns = columns_of({request->columns, request->column_count});
    *bytes = device_measure_workspace_bytes(measuring_of(*request, columns));
  });
}

gpuccl_status gpuccl_measure_on_device(const gpuccl_device_measuring* request, void* workspace,
                                       size_t workspace_bytes, struct CUstream_st* stream) {
  return status_of([&] {
    const std::vector<DeviceColumn> columns = columns_of({request->columns, request->column_count});
    measure_on_device(measuring_of(*request, columns), workspace, workspace_bytes, stream);
  });
}

gpuccl_status gpuccl_table_on_device(const gpuccl_component* components, size_t count,
                                     const unsigned long long* found, gpuccl_extent extent, int connectivity,
                                     const double spacing[3], const gpuccl_device_column* columns,
                                     size_t column_count, struct CUstream_st* stream) {
  return status_of([&] {
    table_on_device(reinterpret_cast<const DeviceComponent*>(components), count, found, to_extent(extent),
                    static_cast<Connectivity>(connectivity), {spacing[0], spacing[1], spacing[2]},
                    columns_of({columns, column_count}), stream);
  });
}

gpuccl_status gpuccl_relabel_on_device(const gpuccl_device_relabeling* request, struct CUstream_st* stream) {
  return status_of([&] {
    relabel_on_device({values_of(request->labels), static_cast<ValueType>(request->type), request->map,
                       request->entries, request->out, request->out_row_pitch, request->out_slice_pitch},
                      stream);
  });
}

gpuccl_status gpuccl_device_clean_workspace_bytes(const gpuccl_device_cleaning* request, size_t* bytes) {
  return status_of([&] { *bytes = device_clean_workspace_bytes(cleaning_of(*request)); });
}

gpuccl_status gpuccl_clean_on_device(const gpuccl_device_cleaning* request, void* workspace,
                                     size_t workspace_bytes, struct CUstream_st* stream) {
  return status_of([&] { clean_on_device(cleaning_of(*request), workspace, workspace_bytes, stream); });
}

gpuccl_status gpuccl_device_overlaps_workspace_bytes(size_t capacity, size_t* bytes) {
  return status_of([&] { *bytes = device_overlaps_workspace_bytes(capacity); });
}

gpuccl_status gpuccl_device_contacts_workspace_bytes(size_t capacity, size_t* bytes) {
  return status_of([&] { *bytes = device_contacts_workspace_bytes(capacity); });
}

gpuccl_status gpuccl_overlaps_on_device(const gpuccl_device_value_image* a,
                                        const gpuccl_device_value_image* b, uint32_t largest,
                                        const gpuccl_device_pairs* pairs, void* workspace,
                                        size_t workspace_bytes, struct CUstream_st* stream) {
  return status_of([&] {
    overlaps_on_device(values_of(*a), values_of(*b), largest, pairs_of(*pairs), workspace, workspace_bytes,
                       stream);
  });
}

gpuccl_status gpuccl_contacts_on_device(const gpuccl_device_value_image* labels, int connectivity,
                                        uint32_t largest, const gpuccl_device_pairs* pairs, void* workspace,
                                        size_t workspace_bytes, struct CUstream_st* stream) {
  return status_of([&] {
    contacts_on_device(values_of(*labels), static_cast<Connectivity>(connectivity), largest, pairs_of(*pairs),
                       workspace, workspace_bytes, stream);
  });
}

gpuccl_status gpuccl_rank_on_device(const gpuccl_device_ranking* request, void* workspace,
                                    size_t workspace_bytes, struct CUstream_st* stream) {
  return status_of([&] {
    rank_on_device(
        {values_of(request->labels), request->ranks, request->ids, request->capacity, request->count},
        workspace, workspace_bytes, stream);
  });
}

}  // extern "C"
