#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>

#include "cuda/labelers/gpu_labeler.cuh"
#include "cuda/runs/core/tile_labels.cuh"
#include "cuda/runs/host/device_call.cuh"
#include "cuda/runs/statistics/component_sums.cuh"
#include "cuda/runtime/device.hpp"
#include "cuda/tables/hulls.cuh"
#include "cuda/tables/measure_labels.cuh"
#include "cuda/tables/pairs.cuh"
#include "cuda/tables/shape_labels.cuh"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/types.hpp"
#include "measure/percentiles.hpp"

namespace gpuccl {
namespace {

using cuda::runs::DeviceCall;
using cuda::runs::LinkWidth;
using cuda::runs::with_connectivity;
namespace runs = cuda::runs;

void require(bool holds, const char* what) {
  if (!holds) throw Error(ErrorCode::usage, std::string("labeling on a device: ") + what);
}

bool is_aligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

void check_extent(Extent extent) {
  require(extent.width >= 0 && extent.height >= 0 && extent.depth >= 0, "an axis is shorter than 0");
}

bool is_empty(Extent extent) { return extent.width == 0 || extent.height == 0 || extent.depth == 0; }

/// Returns the largest possible number of components. Of the elements that touch along `axes` axes (2, 2 x 2
/// or 2 x 2 x 2), at most one begins a component; in a label map, each may. Throws Error if it is too large.
std::size_t check_count(Extent extent, int axes) {
  check_extent(extent);
  const auto halved = [&](int length, int axis) { return axis < axes ? length / 2 + length % 2 : length; };
  const double most =
      double{1} * halved(extent.width, 0) * halved(extent.height, 1) * halved(extent.depth, 2);
  if (most >= static_cast<double>(cuda::runs::kLabelLimit))
    throw Error(ErrorCode::memory, "the image could have more components than the GPU engine can number");
  return static_cast<std::size_t>(most);
}

/// Replaces pitches of 0 by their defaults, and checks all pitches.
void complete(std::int64_t& row_pitch, std::int64_t& slice_pitch, std::int64_t row, Extent extent) {
  if (row_pitch == 0) row_pitch = row;
  require(row_pitch >= row, "a row pitch shorter than a row");
  const std::int64_t rows_before_last = extent.height - 1;
  require(row_pitch <= (INT64_MAX - row) / (rows_before_last + 1), "a row pitch too long");
  if (slice_pitch == 0) slice_pitch = extent.height * row_pitch;
  require(slice_pitch >= rows_before_last * row_pitch + row, "a slice pitch shorter than a slice");
}

void check_image(DeviceImage& image) {
  require(image.data != nullptr, "no image");
  const bool bits = image.format == DeviceImage::Format::bits;
  require(bits || image.format == DeviceImage::Format::bytes, "no such format");
  const std::int64_t width = image.extent.width;
  complete(image.row_pitch, image.slice_pitch, bits ? (width + 7) / 8 : width, image.extent);
}

void check_labels(DeviceLabels& labels, Extent extent) {
  std::visit(
      [&](auto* data) {
        constexpr std::int64_t kLabel = sizeof(*data);
        if (data == nullptr) return;
        complete(labels.row_pitch, labels.slice_pitch, extent.width * kLabel, extent);
        require(
            is_aligned(data, kLabel) && labels.row_pitch % kLabel == 0 && labels.slice_pitch % kLabel == 0,
            "an address or pitch of labels is not a multiple of their size");
      },
      labels.data);
}

void check_values(DeviceValueImage& image) {
  require(image.data != nullptr, "no image");
  require(image.type >= ValueType::u8 && image.type <= ValueType::f64, "no such type of values");
  const auto value = static_cast<std::int64_t>(bytes_of(image.type));
  complete(image.row_pitch, image.slice_pitch, image.extent.width * value, image.extent);
  require(is_aligned(image.data, bytes_of(image.type)) && image.row_pitch % value == 0 &&
              image.slice_pitch % value == 0,
          "an address or pitch of values is not a multiple of their size");
}

void check_labels_image(DeviceValueImage& labels) {
  check_values(labels);
  require(!is_floating(labels.type) && bytes_of(labels.type) > 1,
          "labels are not integers of 16, 32 or 64 bits");
}

runs::DeviceValues checked(const DeviceValueImage& image) {
  DeviceValueImage whole = image;
  check_values(whole);
  require(image.delta >= 0, "delta is not a number of at least 0");
  return {whole.data, whole.type, whole.delta, whole.row_pitch, whole.slice_pitch};
}

void check_workspace(const void* workspace, std::size_t bytes, std::size_t needed) {
  require(is_aligned(workspace, 256), "the address of the workspace is not a multiple of 256");
  require(workspace != nullptr, "no workspace");
  if (bytes < needed)
    throw Error(ErrorCode::usage, "labeling on a device: a workspace of " + std::to_string(bytes) +
                                      " bytes, and the image needs " + std::to_string(needed));
}

/// Returns true if the image is empty, after enqueuing a count of 0.
bool is_done(Extent extent, unsigned long long* count, cudaStream_t stream) {
  if (!is_empty(extent)) return false;
  if (count != nullptr)
    cuda::check(cudaMemsetAsync(count, 0, sizeof(*count), stream), "counting no components");
  return true;
}

void check_count_address(const void* count) {
  require(is_aligned(count, sizeof(std::uint64_t)), "the address of the count is not a multiple of 8");
}

/// Checks what all calls for pairs of labels have, and completes the first image. Returns true as is_done().
bool is_done(cuda::tables::PairCall& call, cudaStream_t stream) {
  DeviceValueImage& labels = call.labels;
  const Extent extent = labels.extent;
  check_count_address(call.pairs.count);
  check_extent(extent);
  require(call.largest < UINT32_MAX, "the largest label is not below 2^32 - 1");
  require(labels.delta == 0 && call.others.delta == 0, "labels have no delta");
  check_count_address(call.pairs.highest);
  if (call.largest == 0 || is_empty(extent)) {
    if (call.pairs.highest != nullptr) highest_label_on_device(labels, call.pairs.highest, stream);
    return is_done(Extent{0, 0, 0}, call.pairs.count, stream);
  }
  check_labels_image(labels);
  return false;
}

bool is_of_samples(MeasureId id) { return measure_of(id).group == MeasureGroup::intensity; }

/// Returns the formulas of basic measures, after checking that the columns can be measured.
measuring::BasicFormulas formulas_of(Extent extent, Connectivity connectivity,
                                     const std::array<double, 3>& spacing,
                                     std::span<const DeviceColumn> columns, bool with_samples,
                                     bool with_labels) {
  check_extent(extent);
  cuda::runs::check_sums(extent);
  const bool is_volume = is_3d(connectivity);
  for (const DeviceColumn& column : columns) {
    std::visit([](const auto* data) { require(data != nullptr, "a column without memory"); }, column.data);
    if (!column.measure) continue;
    require(
        *column.measure < MeasureId::count && is_measured_on_device(*column.measure, !with_labels, is_volume),
        "a column's measure is not measured on a device");
    require(with_samples || !is_of_samples(*column.measure), "a column's measure needs samples");
    require(!is_physical(measure_of(*column.measure)) ||
                (spacing[0] > 0 && spacing[1] > 0 && (!is_volume || spacing[2] > 0)),
            "a column's measure needs a spacing");
  }
  return {is_volume, is_volume, {spacing[0], spacing[1], spacing[2]}};
}

void check_rest(const DeviceResult& result) {
  check_count_address(result.count);
  require(is_aligned(result.components, alignof(DeviceComponent)),
          "the address of components is not a multiple of 64");
}

}  // namespace

std::size_t device_workspace_bytes(Extent extent, Connectivity connectivity) {
  check_count(extent, max_axes(connectivity));
  return with_connectivity(connectivity, [&]<Connectivity one>() -> std::size_t {
    if (is_empty(extent)) return 0;
    return cuda::runs::workspace_bytes<one>(extent, LinkWidth::as_needed);
  });
}

std::size_t device_value_workspace_bytes(Extent extent, Connectivity connectivity) {
  check_count(extent, 0);
  return with_connectivity(connectivity, [&]<Connectivity one>() -> std::size_t {
    if (is_empty(extent)) return 0;
    return cuda::runs::value_workspace_bytes<one>(extent, LinkWidth::as_needed);
  });
}

void label_values_on_device(const DeviceValueImage& image, Connectivity connectivity,
                            const DeviceResult& result, ValueBits* values, void* workspace,
                            std::size_t workspace_bytes, cudaStream_t stream) {
  const std::size_t needed = device_value_workspace_bytes(image.extent, connectivity);
  check_rest(result);
  require(is_aligned(values, sizeof(*values)), "the address of values of components is not a multiple of 8");
  if (is_done(image.extent, result.count, stream)) return;
  cuda::runs::ValueCall call{checked(image), image.extent, result, values, workspace, stream};
  check_labels(call.result.labels, image.extent);
  check_workspace(workspace, workspace_bytes, needed);
  with_connectivity(connectivity,
                    [&]<Connectivity one>() { cuda::runs::enqueue_values<one>(call, LinkWidth::as_needed); });
}

void label_on_device(const DeviceImage& image, Connectivity connectivity, const DeviceResult& result,
                     void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  const std::size_t needed = device_workspace_bytes(image.extent, connectivity);
  DeviceCall call{image, result, workspace, stream};
  check_rest(result);
  if (is_done(image.extent, result.count, stream)) return;
  check_image(call.image);
  check_labels(call.result.labels, image.extent);
  check_workspace(workspace, workspace_bytes, needed);
  with_connectivity(connectivity,
                    [&]<Connectivity one>() { cuda::runs::enqueue<one>(call, LinkWidth::as_needed); });
}

std::size_t device_clean_workspace_bytes(const DeviceCleaning& request) {
  const Extent extent = request.extent();
  const bool of_values = std::holds_alternative<DeviceValueImage>(request.image);
  runs::CleanCall call{request, check_count(extent, of_values ? 0 : max_axes(request.connectivity)), nullptr,
                       nullptr};
  require(!of_values || request.fill_holes == 0, "holes are filled in masks");
  require(extent.elements() <= UINT32_MAX, "images that are cleaned have fewer than 2^32 elements");
  if (is_empty(extent)) return 0;
  std::size_t bytes = with_connectivity(request.connectivity, [&]<Connectivity one>() {
    return of_values ? runs::value_selection_bytes<one>(call) : runs::selection_bytes<one>(call, false);
  });
  if (request.fill_holes == 0) return bytes;
  const Connectivity of_holes = complementary(request.connectivity);
  call.components = check_count(extent, max_axes(of_holes));
  with_connectivity(
      of_holes, [&]<Connectivity one>() { bytes = std::max(bytes, runs::selection_bytes<one>(call, true)); });
  return bytes;
}

void clean_on_device(const DeviceCleaning& request, void* workspace, std::size_t workspace_bytes,
                     cudaStream_t stream) {
  const std::size_t needed = device_clean_workspace_bytes(request);
  const Extent extent = request.extent();
  runs::CleanCall call{request, 0, workspace, stream};
  DeviceCleaning& checked = call.request;
  if (is_empty(extent)) return;
  DeviceValueImage out{checked.out, checked.type, extent, checked.out_row_pitch, checked.out_slice_pitch, 0};
  require(out.data != nullptr, "no memory for what is kept");
  check_values(out);
  checked.out_row_pitch = out.row_pitch;
  checked.out_slice_pitch = out.slice_pitch;
  if (checked.from.data != nullptr) {
    require(checked.from.extent == extent,
            "the elements that are written have another extent than the image");
    require(bytes_of(checked.from.type) == bytes_of(checked.type),
            "elements are not of the size of the output's type");
    check_values(checked.from);
  }
  if (checked.seeds.data != nullptr) {
    require(checked.seeds.extent == extent, "seeds have another extent than the image");
    check_image(checked.seeds);
  }
  check_workspace(workspace, workspace_bytes, needed);
  if (auto* const values = std::get_if<DeviceValueImage>(&checked.image)) {
    check_values(*values);
    require(values->delta >= 0, "delta is not a number of at least 0");
    call.components = check_count(extent, 0);
    with_connectivity(checked.connectivity,
                      [&]<Connectivity one>() { runs::enqueue_value_cleaning<one>(call); });
    return;
  }
  check_image(std::get<DeviceImage>(checked.image));
  if (checked.fill_holes > 0) {
    const Connectivity of_holes = complementary(checked.connectivity);
    call.components = check_count(extent, max_axes(of_holes));
    with_connectivity(of_holes, [&]<Connectivity one>() {
      if constexpr (one != Connectivity::c18) runs::enqueue_filling<one>(call);
    });
  }
  call.components = check_count(extent, max_axes(checked.connectivity));
  with_connectivity(checked.connectivity, [&]<Connectivity one>() { runs::enqueue_cleaning<one>(call); });
}

bool is_measured_on_device(MeasureId measure, bool of_components, bool in_volume) {
  using enum MeasureId;
  return measure <= area_physical || (width <= measure && measure <= equivalent_diameter_area) ||
         measure == equivalent_diameter_area_physical ||
         (!of_components &&
          ((intensity_min <= measure && measure <= cz_weighted) || cuda::tables::has_shape(measure) ||
           (!in_volume && cuda::tables::has_hull(measure))));
}

std::size_t device_measure_workspace_bytes(const DeviceMeasuring& request) {
  return cuda::tables::workspace_bytes(request);
}

void measure_on_device(const DeviceMeasuring& request, void* workspace, std::size_t workspace_bytes,
                       cudaStream_t stream) {
  cuda::tables::MeasureCall call{request, {}, workspace, stream};
  DeviceValueImage &labels = call.request.labels, &samples = call.request.samples;
  const bool with_samples = samples.data != nullptr;
  call.formulas =
      formulas_of(labels.extent, request.connectivity, request.spacing, request.columns, with_samples, true);
  check_count_address(request.count);
  require(labels.delta == 0 && samples.delta == 0, "labels and samples have no delta");
  check_count_address(request.highest);
  if (request.largest == 0 || is_empty(labels.extent)) {
    is_done(Extent{0, 0, 0}, request.count, stream);
    if (request.highest != nullptr) highest_label_on_device(request.labels, request.highest, stream);
    return;
  }
  check_labels_image(labels);
  // Kernels see negative labels as those above the positive ones of their type.
  if (labels.type == ValueType::i16 || labels.type == ValueType::i32)
    call.request.largest = std::min(request.largest, labels.type == ValueType::i16 ? 0x7fffu : 0x7fffffffu);
  if (with_samples) {
    require(samples.extent == labels.extent, "samples have another extent than labels");
    check_values(samples);
    require(bytes_of(samples.type) <= 2 || std::none_of(request.columns.begin(), request.columns.end(),
                                                        [](const DeviceColumn& column) {
                                                          return column.measure &&
                                                                 measuring::Percentile::is(*column.measure);
                                                        }),
            "median and percentiles need integers of at most 16 bits");
  }
  check_workspace(workspace, workspace_bytes, device_measure_workspace_bytes(request));
  cuda::tables::enqueue(call);
}

void highest_label_on_device(const DeviceValueImage& labels, unsigned long long* highest,
                             cudaStream_t stream) {
  DeviceValueImage image = labels;
  require(highest != nullptr, "no memory for the highest label");
  check_count_address(highest);
  check_extent(image.extent);
  if (is_done(image.extent, highest, stream)) return;
  check_labels_image(image);
  cuda::check(cudaMemsetAsync(highest, 0, sizeof(*highest), stream), "clearing the highest label");
  cuda::tables::enqueue_highest(image, highest, stream);
}

void table_on_device(const DeviceComponent* components, std::size_t count, const unsigned long long* found,
                     Extent extent, Connectivity connectivity, const std::array<double, 3>& spacing,
                     std::span<const DeviceColumn> columns, cudaStream_t stream) {
  const measuring::BasicFormulas formulas = formulas_of(extent, connectivity, spacing, columns, false, false);
  if (count == 0) return;
  require(components != nullptr, "no components");
  cuda::tables::enqueue_columns(columns, components, count, found, formulas, stream);
}

void relabel_on_device(const DeviceRelabeling& request, cudaStream_t stream) {
  DeviceRelabeling checked = request;
  DeviceValueImage& labels = checked.labels;
  const Extent extent = labels.extent;
  check_extent(extent);
  require(labels.delta == 0, "labels have no delta");
  require(checked.map != nullptr || checked.entries == 0, "no map");
  if (is_empty(extent)) return;
  check_labels_image(labels);
  DeviceValueImage out{checked.out, checked.type, extent, checked.out_row_pitch, checked.out_slice_pitch, 0};
  check_values(out);
  require(is_aligned(checked.map, bytes_of(checked.type)),
          "the address of the map is not a multiple of its type");
  checked.out_row_pitch = out.row_pitch;
  checked.out_slice_pitch = out.slice_pitch;
  cuda::tables::enqueue_relabeling(checked, stream);
}

std::size_t device_overlaps_workspace_bytes(std::size_t capacity) {
  return cuda::tables::pairs_workspace_bytes(capacity, false);
}

std::size_t device_contacts_workspace_bytes(std::size_t capacity) {
  return cuda::tables::pairs_workspace_bytes(capacity, true);
}

void overlaps_on_device(const DeviceValueImage& a, const DeviceValueImage& b, std::uint32_t largest,
                        const DevicePairs& pairs, void* workspace, std::size_t workspace_bytes,
                        cudaStream_t stream) {
  require(a.extent == b.extent, "two label images have different extents");
  require(pairs.highest == nullptr, "overlaps have no highest label");
  cuda::tables::PairCall call{a, b, {}, largest, pairs, workspace, stream};
  if (is_done(call, stream)) return;
  check_labels_image(call.others);
  check_workspace(workspace, workspace_bytes, device_overlaps_workspace_bytes(pairs.capacity));
  cuda::tables::enqueue_overlaps(call);
}

void contacts_on_device(const DeviceValueImage& labels, Connectivity connectivity, std::uint32_t largest,
                        const DevicePairs& pairs, void* workspace, std::size_t workspace_bytes,
                        cudaStream_t stream) {
  require(std::find(std::begin(kConnectivities), std::end(kConnectivities), connectivity) !=
              std::end(kConnectivities),
          "no such connectivity");
  cuda::tables::PairCall call{labels, {}, connectivity, largest, pairs, workspace, stream};
  if (is_done(call, stream)) return;
  check_workspace(workspace, workspace_bytes, device_contacts_workspace_bytes(pairs.capacity));
  cuda::tables::enqueue_contacts(call);
}

void rank_on_device(const DeviceRanking& request, void* workspace, std::size_t workspace_bytes,
                    cudaStream_t stream) {
  DeviceRanking checked = request;
  check_extent(request.labels.extent);
  require(request.labels.delta == 0, "labels have no delta");
  require(request.ids != nullptr && request.count != nullptr, "no memory for ids and their number");
  check_count_address(request.ids);
  check_count_address(request.count);
  if (is_done(request.labels.extent, request.count, stream)) return;
  check_labels_image(checked.labels);
  require(request.ranks != nullptr && is_aligned(request.ranks, sizeof(*request.ranks)),
          "the address of ranks is not a multiple of 4");
  check_workspace(workspace, workspace_bytes, device_overlaps_workspace_bytes(request.capacity));
  cuda::tables::enqueue_ranking(checked, workspace, stream);
}

DeviceLabeler::DeviceLabeler(const std::string& algorithm, Connectivity connectivity)
    : connectivity_(connectivity) {
  const Algorithm* const found = find_algorithm(algorithm, DeviceKind::cuda);
  require(found != nullptr,
          ("no GPU algorithm is called '" + algorithm + "'; algorithms() lists them").c_str());
  const Variant* const variant = find_variant(*found, connectivity);
  require(variant != nullptr, (algorithm + " has no such connectivity").c_str());
  int gpu = 0;
  cuda::check(cudaGetDevice(&gpu), "asking for the device");
  labeler_ = variant->make(gpu);
}

DeviceLabeler::~DeviceLabeler() = default;
DeviceLabeler::DeviceLabeler(DeviceLabeler&&) noexcept = default;
DeviceLabeler& DeviceLabeler::operator=(DeviceLabeler&&) noexcept = default;

void DeviceLabeler::label(const DeviceImage& image, const DeviceLabels& labels, unsigned long long* count,
                          cudaStream_t stream) {
  auto& labeler = dynamic_cast<cuda::GpuLabeler&>(*labeler_);
  DeviceImage from = image;
  DeviceLabels to = labels;
  check_count(from.extent, max_axes(connectivity_));
  check_count_address(count);
  const cuda::CurrentDevice current(labeler.gpu());
  if (is_done(from.extent, count, stream)) return;
  check_image(from);
  require(std::visit([](const auto* data) { return data != nullptr; }, to.data), "no labels");
  check_labels(to, from.extent);
  labeler.label_on_device(from, to, count, stream);
}

}  // namespace gpuccl
