// Measures of label images: a thread walks down a column of a tile, a hash table in shared memory gathers the
// labels of the tile, and global memory receives one sum for each label of each tile.
//
//   clear            the sums of all labels
//   measure          one pass over the image; floating-point samples take two, integers of 64 bits three
//   shapes           another one if measures need the elements around (shape_labels.cu)
//   mark, count      the labels that occur, as bits, and their running count
//   write            one row of the table for each label that occurs
//   percentiles      another pass over both images, if wanted (percentiles.cu)
//   hulls            from the label image, once boxes are known (hulls.cu)

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runtime/arena.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/tables/hulls.cuh"
#include "cuda/tables/label_rows.cuh"
#include "cuda/tables/label_sums.cuh"
#include "cuda/tables/measure_labels.cuh"
#include "cuda/tables/percentiles.cuh"
#include "cuda/tables/shape_labels.cuh"
#include "cuda/tables/table_columns.cuh"

namespace gpuccl::cuda::tables {
namespace {

constexpr int kColumns = 128, kRows = 64;  // of a tile
constexpr int kAtOnce = 4;                 // rows that a thread loads before it uses them
using Grid = ThreadGrid<1, kRows, 1, kColumns, 1>;

/// Clears what the kernels behind it add to, also the parts of a bitmap that they do not write.
__global__ void clear_sums(LabelSums sums, bool flat, Bitmap occurs, unsigned long long* highest) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i < sums.components.capacity) sums.clear(i, flat);
  const auto n = static_cast<std::int64_t>(i);
  if (n < occurs.lengths.padding()) occurs.words[occurs.lengths.words + n] = 0;
  if (n < occurs.lengths.progress()) occurs.progress[n] = 0;
  if (n == 0 && highest != nullptr) *highest = 0;
}

template <Pass pass, class Id, class Sample>
__global__ void __launch_bounds__(kColumns)
    measure_labels(Rows<Id> labels, Rows<Sample> samples, Extent extent, LabelSums sums,
                   unsigned long long* highest) {
  using Table = PartTable<LabelPartSums<pass, kColumns>, 4>;
  __shared__ Table table;
  const auto t = static_cast<int>(threadIdx.x);
  table.clear(t);
  __syncthreads();
  const int3 origin = Grid::origin(extent);
  const bool flat = extent.depth == 1;
  const TileCorner corner{{origin.x - t, origin.y, origin.z}};

  using Taken = typename Taking<pass, Sample>::Taken;
  ColumnPart<pass, Taken> column;
  Quantum quantum{};
  const auto flush = [&](int end) {
    if (column.label == 0) return;
    const LabelPart<pass> part = column.ended(t, end, sums.with_moments);
    if (!table.add(part)) sums.template add<pass>(part, corner, flat);
  };
  const int rows = min(kRows, extent.height - origin.y);
  Id most = 0;
  if (extent.contains(origin.x, origin.y, origin.z)) {
    const Id* const from = labels.at(origin.x, origin.y, origin.z);
    for (int begin = 0; begin < rows; begin += kAtOnce) {
      Id ids[kAtOnce];
      Taken taken[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const bool inside = begin + i < rows;
        ids[i] = inside ? load_input(from + (begin + i) * labels.row) : Id{0};
        if constexpr (pass != Pass::shapes)
          taken[i] = Taking<pass, Sample>::of(
              inside ? load_input(samples.at(origin.x, origin.y + begin + i, origin.z)) : Sample{0});
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const Label label = ids[i] <= sums.components.capacity ? static_cast<Label>(ids[i]) : 0;
        most = max(most, ids[i]);
        if (label != column.label) {
          flush(begin + i);
          column = {};
          column.label = label;
          column.first = begin + i;
          if constexpr (pass == Pass::quantities)
            if (label != 0) quantum = Quantum::of<Sample>(sums.samples[label - std::size_t{1}]);
        }
        if constexpr (pass != Pass::shapes) column.take(taken[i], begin + i, quantum);
      }
    }
    flush(rows);
  }
  if (highest != nullptr) raise_in_warp(highest, most);
  __syncthreads();
  if (table.label[t] != 0) sums.template add<pass>(table.part(t), corner, flat);
}

constexpr int kSearchedRows = 16;  // of a thread
using SearchGrid = ThreadGrid<1, kSearchedRows, 1, kColumns, 1>;

template <class Id>
__global__ void __launch_bounds__(kColumns)
    find_highest(Rows<Id> labels, Extent extent, unsigned long long* highest) {
  const int3 at = SearchGrid::origin(extent);
  Id most = 0;
  if (extent.contains(at.x, at.y, at.z)) {
    const Id* const from = labels.at(at.x, at.y, at.z);
    const int rows = extent.height - at.y;
#pragma unroll
    for (int i = 0; i < kSearchedRows; ++i)
      if (i < rows) most = max(most, load_input(from + i * labels.row));
  }
  raise_in_warp(highest, most);
}

/// Sets the bit of each label that occurs. Warps write words.
__global__ void mark_labels(const DeviceComponent* components, std::size_t count, Bitmap occurs) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  const unsigned bits = __ballot_sync(kAllLanes, i < count && components[i].area > 0);
  const auto word = static_cast<std::int64_t>(i / kWarp);
  if (i % kWarp == 0 && word < occurs.lengths.words) occurs.words[word] = bits;
}

enum class Samples { none, integers, u32, i64, u64, floats, doubles };

Samples kind_of(const DeviceValueImage& samples) {
  if (samples.data == nullptr) return Samples::none;
  switch (samples.type) {
    case ValueType::u32:
      return Samples::u32;
    case ValueType::i64:
      return Samples::i64;
    case ValueType::u64:
      return Samples::u64;
    case ValueType::f32:
      return Samples::floats;
    case ValueType::f64:
      return Samples::doubles;
    default:
      return Samples::integers;
  }
}

/// Writes the rows of labels. `found`: their number if it is below `count`, or null. `occurs`: which of them
/// do; without words, all. Rows from `rows` on are dropped.
__global__ void write_columns(const DeviceComponent* components, const SampleSums* of_samples, Samples kind,
                              std::size_t count, const unsigned long long* found, CountedBits occurs,
                              std::size_t rows, ColumnSet columns, measuring::BasicFormulas formulas) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= count || (found != nullptr && i >= *found)) return;
  const DeviceComponent component = components[i];
  TableRow values{columns, row_of(component, i, occurs)};
  if (values.row >= rows) return;
  values.at(ColumnSet::kLabels) = static_cast<long long>(i + 1);
  formulas.derive(component.area, component.min, component.max, component.sum, values);
  if (kind == Samples::none) return;
  const SampleSums& sums = of_samples[i];
  if (kind == Samples::i64 || kind == Samples::u64)
    return long_totals(component.area, &sums, count, kind == Samples::u64).derive(values);
  if (kind != Samples::floats && kind != Samples::doubles)
    return whole_totals(component.area, sums, kind == Samples::u32).derive(values);
  const measuring::RealTotals totals = kind == Samples::floats ? real_totals<float>(component.area, sums)
                                                               : real_totals<double>(component.area, sums);
  totals.derive(values);
  if (totals.numbers > 0) return;
  using Id = MeasureId;
  for (const Id id : {Id::intensity_min, Id::intensity_max, Id::intensity_mean, Id::intensity_std})
    values[id] = measuring::kNoValue;
}

/// Arrays in the workspace of a call.
struct Workspace {
  LabelSums sums;
  Bitmap occurs;
  ShapeSums shapes;
  HullMemory hulls;
  SampleLists lists;

  Workspace(const DeviceMeasuring& request, const ColumnSet& columns, Arena& arena)
      : sums{{arena.take<DeviceComponent>(request.largest), request.largest},
             nullptr,
             bytes_of(request.samples.type) == 8 ? 3u : 1u,
             columns.any_of(MeasureId::cx_weighted, MeasureId::cz_weighted)},
        shapes(request, arena),
        hulls(request, arena),
        lists(request, arena) {
    const std::uint32_t largest = request.largest;
    if (request.samples.data != nullptr)
      sums.samples = arena.take<SampleSums>(std::size_t{sums.parts} * largest);
    const BitmapLengths lengths{(std::int64_t{largest} - 1) / 32 + 1};
    occurs = {lengths,
              arena.take<std::uint32_t>(lengths.padded_words()),
              arena.take<std::uint32_t>(lengths.before()),
              arena.take<unsigned long long>(static_cast<std::size_t>(lengths.progress())),
              {arena.take<unsigned long long>(1), nullptr, 0}};
  }
};

template <Pass pass, class Id, class Sample>
void enqueue_pass(const DeviceMeasuring& request, const LabelSums& sums, PhaseClock& phase) {
  const Extent extent = request.labels.extent;
  phase("Measure", measure_labels<pass, Id, Sample>, Grid::shape(extent), Rows<Id>(request.labels),
        Rows<Sample>(request.samples), extent, sums, request.highest);
}

template <class Id>
void enqueue_sums(const DeviceMeasuring& request, const LabelSums& sums, PhaseClock& phase) {
  if (sums.samples == nullptr) return enqueue_pass<Pass::shapes, Id, void>(request, sums, phase);
  with_type(request.samples.type, [&](auto sample) {
    using Sample = decltype(sample);
    if constexpr (std::is_floating_point_v<Sample>) {
      enqueue_pass<sizeof(Sample) == 4 ? Pass::ranges : Pass::doubles, Id, Sample>(request, sums, phase);
      enqueue_pass<Pass::quantities, Id, Sample>(request, sums, phase);
    } else if constexpr (sizeof(Sample) <= 4) {
      enqueue_pass<Pass::integers, Id, Sample>(request, sums, phase);
    } else {
      LabelSums part = sums;
      enqueue_pass<Pass::lowers, Id, Sample>(request, part, phase);
      part.samples += request.largest;
      enqueue_pass<Pass::uppers, Id, Sample>(request, part, phase);
      part.samples += request.largest;
      enqueue_pass<Pass::products, Id, Sample>(request, part, phase);
    }
  });
}

}  // namespace

std::size_t workspace_bytes(const DeviceMeasuring& request) {
  Arena arena(nullptr);
  if (request.largest > 0) Workspace(request, ColumnSet(request.columns), arena);
  return arena.used();
}

void enqueue(const MeasureCall& call) {
  const DeviceMeasuring& request = call.request;
  const Samples kind = kind_of(request.samples);
  Arena arena(call.workspace);
  const ColumnSet columns(request.columns);
  Workspace workspace(request, columns, arena);
  const LabelSums& sums = workspace.sums;
  Bitmap& occurs = workspace.occurs;
  if (request.count != nullptr) occurs.total.count = request.count;

  PhaseClock phase{call.stream, nullptr};
  const LaunchShape labels = ThreadLine<>::shape(request.largest);
  const std::int64_t cleared =
      std::max({std::int64_t{request.largest}, occurs.lengths.padding(), occurs.lengths.progress()});
  phase("Clear", clear_sums, ThreadLine<>::shape(static_cast<std::size_t>(cleared)), sums,
        request.labels.extent.depth == 1, occurs, request.highest);
  with_id(request.labels.type, [&]<class Id>(Id) { enqueue_sums<Id>(request, sums, phase); });
  enqueue_shapes(request, workspace.shapes, phase);
  phase("Mark", mark_labels, labels, sums.components.data, std::size_t{request.largest}, occurs);
  count_bits("Count", occurs, phase);
  phase("Write", write_columns, labels, sums.components.data, sums.samples, kind,
        std::size_t{request.largest}, nullptr, occurs.counted(), request.capacity, columns, call.formulas);
  enqueue_shape_columns(request, workspace.shapes, sums.components.data, occurs.counted(), columns, phase);
  enqueue_percentiles(request, workspace.lists, sums.components.data, occurs.counted(), columns, phase);
  enqueue_hulls(request, workspace.hulls, sums.components.data, occurs.counted(), columns, phase);
}

void enqueue_highest(const DeviceValueImage& labels, unsigned long long* highest, cudaStream_t stream) {
  PhaseClock phase{stream, nullptr};
  with_id(labels.type, [&]<class Id>(Id) {
    phase("Highest", find_highest<Id>, SearchGrid::shape(labels.extent), Rows<Id>(labels), labels.extent,
          highest);
  });
}

void enqueue_columns(std::span<const DeviceColumn> columns, const DeviceComponent* components,
                     std::size_t count, const unsigned long long* found,
                     const measuring::BasicFormulas& formulas, cudaStream_t stream) {
  PhaseClock phase{stream, nullptr};
  phase("Write", write_columns, ThreadLine<>::shape(count), components, nullptr, Samples::none, count, found,
        CountedBits{}, count, ColumnSet(columns), formulas);
}

}  // namespace gpuccl::cuda::tables
