// New values of labels, from a map that the caches hold.

#include <cstddef>
#include <cstdint>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/tables/label_rows.cuh"
#include "cuda/tables/measure_labels.cuh"

namespace gpuccl::cuda::tables {
namespace {

constexpr unsigned kColumns = 128, kRows = 8;  // of a thread block; a thread has a column
using Grid = ThreadGrid<1, kRows, 1, kColumns, 1>;

template <class Id, class Value>
__global__ void __launch_bounds__(kColumns)
    relabel(DeviceValueImage labels, const Value* map, std::size_t entries, DeviceValueImage out) {
  const Extent extent = labels.extent;
  const int3 at = Grid::origin(extent);
  if (!extent.contains(at.x, at.y, at.z)) return;
  const std::int64_t rows = extent.height - at.y;
  const auto* const from = static_cast<const std::byte*>(labels.data) + at.z * labels.slice_pitch +
                           at.y * labels.row_pitch + at.x * static_cast<std::int64_t>(sizeof(Id));
  auto* const to = static_cast<std::byte*>(const_cast<void*>(out.data)) + at.z * out.slice_pitch +
                   at.y * out.row_pitch + at.x * static_cast<std::int64_t>(sizeof(Value));
  Id ids[kRows];
#pragma unroll
  for (unsigned i = 0; i < kRows; ++i)
    ids[i] = i < rows ? *reinterpret_cast<const Id*>(from + i * labels.row_pitch) : Id{0};
#pragma unroll
  for (unsigned i = 0; i < kRows; ++i)
    if (i < rows)
      *reinterpret_cast<Value*>(to + i * out.row_pitch) =
          ids[i] < entries ? load_input(map + ids[i]) : Value{0};
}

}  // namespace

void enqueue_relabeling(const DeviceRelabeling& request, cudaStream_t stream) {
  const Extent extent = request.labels.extent;
  const DeviceValueImage out{
      request.out, request.type, extent, request.out_row_pitch, request.out_slice_pitch, 0};
  with_id(request.labels.type, [&]<class Id>(Id) {
    with_size(request.type, [&]<class Value>(Value) {
      PhaseClock phase{stream, nullptr};
      phase("Relabel", relabel<Id, Value>, Grid::shape(extent), request.labels,
            static_cast<const Value*>(request.map), request.entries, out);
    });
  });
}

}  // namespace gpuccl::cuda::tables
