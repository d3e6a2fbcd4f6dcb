// Component statistics from bits and labels. Runs are found in the bits, so a label is read only at the start
// of a run. A thread walks down a column of words and sums consecutive runs of one component in registers.
// The sums are added to a table in shared memory, one per thread block and tile, and the table is added to
// global memory. If a tile has more components than the table has entries (noise), the rest is added to
// global memory directly.

#include "common/components.hpp"
#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile_sums.cuh"
#include "cuda/phases/statistics.cuh"
#include "cuda/runtime/pinned_ring.hpp"

namespace gpuccl::cuda {
namespace {

constexpr unsigned kThreadsX = 32, kThreadsY = 4;  // 32-bit words across, columns of kRows words down
constexpr unsigned kRows = 8;
using Grid = ThreadGrid<32, kRows, 1, kThreadsX, kThreadsY>;  // a tile: 1024 x 32 elements of one slice

using Part = TilePart<2>;
using Table = PartTable<PartSums<2, 256>, 8>;

__device__ void add_run(Part& part, int x, int length, int y) {
  const auto n = static_cast<unsigned>(length);
  Part run;
  run.area = n;
  run.sum[0] = n * static_cast<unsigned>(x) + n * (n - 1) / 2;
  run.sum[1] = n * static_cast<unsigned>(y);
  run.min[0] = x;
  run.max[0] = x + length - 1;
  run.min[1] = run.max[1] = y;
  part.add(run);
}

__global__ void clear(ComponentsRef components, std::uint64_t count) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= count) return;

  components.area[i] = 0;
  for (int axis = 0; axis < 3; ++axis) {
    components.min[axis][i] = kFar;
    components.max[axis][i] = -1;
    components.sum[axis][i] = 0;
  }
}

__device__ void add_to(const ComponentsRef& components, const Part& part, int3 corner) {
  const Label i = part.label - 1;
  const Word64 area = part.area;
  const int from[] = {corner.x, corner.y, corner.z};
  atomicAdd(components.area + i, part.area);
  for (int axis = 0; axis < 2; ++axis) {
    atomicMin(components.min[axis] + i, from[axis] + part.min[axis]);
    atomicMax(components.max[axis] + i, from[axis] + part.max[axis]);
    atomicAdd(components.sum[axis] + i, part.sum[axis] + area * static_cast<Word64>(from[axis]));
  }
  atomicMin(components.min[2] + i, corner.z);
  atomicMax(components.max[2] + i, corner.z);
  atomicAdd(components.sum[2] + i, area * static_cast<Word64>(corner.z));
}

__global__ void gather(BitRows bits, ImageRef<const Label> labels, ComponentsRef components) {
  __shared__ Table table;
  const int thread = static_cast<int>(threadIdx.y * kThreadsX + threadIdx.x);
  for (int i = thread; i < Table::kEntries; i += int{kThreadsX * kThreadsY}) table.clear(i);
  __syncthreads();

  const int3 at = Grid::origin(bits.extent);
  const int in_tile_x = static_cast<int>(32 * threadIdx.x), in_tile_y = static_cast<int>(kRows * threadIdx.y);
  const int3 corner = make_int3(at.x - in_tile_x, at.y - in_tile_y, at.z);

  Part part;
  const auto flush = [&] {
    if (part.area != 0 && !table.add(part)) add_to(components, part, corner);
  };
  if (bits.extent.contains(at.x, at.y, at.z)) {
    const int rows = min(static_cast<int>(kRows), bits.extent.height - at.y);
    for (int row = 0; row < rows; ++row) {
      const Index begin = labels.index(at.x, at.y + row, at.z);
      unsigned word = __ldg(reinterpret_cast<const unsigned*>(bits.words) + begin / 32);
      while (word != 0) {
        const int start = __ffs(static_cast<int>(word)) - 1;
        const unsigned gap = ~(word >> start);  // zeros are shifted in, so the last run ends
        const int length = gap == 0 ? 32 : __ffs(static_cast<int>(gap)) - 1;
        word &= length + start == 32 ? 0 : ~0u << (start + length);

        const Label label = __ldg(labels.data + begin + static_cast<Index>(start));
        if (label != part.label) {
          flush();
          part = {};
          part.label = label;
        }
        add_run(part, in_tile_x + start, length, in_tile_y + row);
      }
    }
  }
  flush();
  __syncthreads();

  for (int i = thread; i < Table::kEntries; i += int{kThreadsX * kThreadsY})
    if (table.label[i] != 0) add_to(components, table.part(i), corner);
}

}  // namespace

void Statistics::collect(const LabelingBuffers& buffers, Label count, PhaseClock& phase) {
  constexpr const char* kDoing = "allocating component statistics";
  count_ = count;
  area_.reserve(count_, kDoing);
  boxes_.reserve(6 * count_, kDoing);
  sums_.reserve(3 * count_, kDoing);
  if (count_ == 0) return;

  int* const boxes = boxes_.data();
  Word64* const sums = sums_.data();
  const ComponentsRef components{area_.data(),
                                 {boxes, boxes + count_, boxes + 2 * count_},
                                 {boxes + 3 * count_, boxes + 4 * count_, boxes + 5 * count_},
                                 {sums, sums + count_, sums + 2 * count_}};
  phase("Statistics: clear", clear, ThreadLine<>::shape(count_), components,
        static_cast<std::uint64_t>(count_));
  phase("Statistics: gather", gather, Grid::shape(buffers.image.extent), buffers.bits,
        ImageRef<const Label>{buffers.labels.data, buffers.labels.extent, buffers.labels.pitch,
                              buffers.labels.slice_pitch},
        components);
}

Components Statistics::download(PinnedRing& ring, const Stream& stream) const {
  Components components = large_components(count_);
  for_each_column(components, touch_by_all_threads);
  const auto fetch = [&](const auto* values, const auto& field_of) {
    const auto take = [&](std::size_t first, std::size_t count, const std::byte* entries) {
      const auto* const piece = reinterpret_cast<decltype(values)>(entries);
      by_all_threads(count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) field_of(first + i) = piece[i];
      });
    };
    ring.download(values, count_, sizeof *values, take, stream);
  };
  fetch(
      area_.data(), [&](std::size_t i) -> auto& { return components.area[i]; });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int* const boxes = boxes_.data();
    fetch(
        boxes + axis * count_, [&](std::size_t i) -> auto& { return components.box[i].min[axis]; });
    fetch(
        boxes + (3 + axis) * count_, [&](std::size_t i) -> auto& { return components.box[i].max[axis]; });
    fetch(
        sums_.data() + axis * count_, [&](std::size_t i) -> auto& { return components.sum[i][axis]; });
  }
  return components;
}

}  // namespace gpuccl::cuda
