// Convex hulls of labels, by the formulas of the CPU (lib/src/measure/hull.hpp).
//
//   hulls          a warp for each label; labels with large boxes are listed
//   large hulls    a thread block for each of these
//
// A thread finds the ends of a row in the label image, from both sides of the box. So only what lies between
// an object and its box is read, and no memory depends on the number of labels. Then all threads look for the
// next corner of the hull, from each corner (Jarvis's march, for which points need not be stored): once to
// find the elements in the hull, and once more around these.
//
//   R. A. Jarvis, "On the identification of the convex hull of a finite set of points in the plane",
//   Information Processing Letters 2 (1973)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/tables/hulls.cuh"
#include "cuda/tables/label_rows.cuh"
#include "measure/hull.hpp"

namespace gpuccl::cuda::tables {
namespace {

using measuring::HullExtents;
using measuring::HullPoint;

constexpr int kSmallRows = 64, kSmallColumns = 128;  // of a small box
constexpr int kManyThreads = 256;                    // for a large one
constexpr unsigned kMaxBlocks = 256;                 // for large ones
constexpr std::uint32_t kWarps = 1 << 14;            // for small ones

/// The number of corners of a hull of this many rows is at most this.
GPUCCL_HD constexpr int corners_of(int rows) { return 4 * rows + 2; }

/// First elements and ends of the rows of a box, from its first column on.
template <class Number>
struct EndsOfRows {
  int count;
  int *begins, *ends;

  __device__ Number size() const { return count; }
  __device__ int begin(Number i) const { return begins[i]; }
  __device__ int end(Number i) const { return ends[i]; }
};

/// The way from a corner to a later point of its side of the hull.
template <class Number>
struct Way {
  Number out = 0, along = 0;

  /// Takes the way that leads farther out, of equal ones the longer one.
  __device__ void take(const Way& other) {
    const Number more = other.out * along - out * other.along;
    if (more > 0 || (more == 0 && other.along > along)) *this = other;
  }
  __device__ void take_best_of_warp() {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      take({__shfl_xor_sync(kAllLanes, out, distance), __shfl_xor_sync(kAllLanes, along, distance)});
  }
};

/// Values of one hull that the threads of a block share.
template <int threads, class Number>
struct SharedHull {
  static constexpr int kOfWarps = threads / static_cast<int>(kWarp);

  Number out[kOfWarps], along[kOfWarps];
  unsigned long long area;
  unsigned long long diameters[2], widths[2];  // doubles, whose bits have the same order; physical ones last

  __device__ void clear() {
    if (threadIdx.x != 0) return;
    area = 0;
    for (int i = 0; i < 2; ++i) diameters[i] = 0, widths[i] = ~0ull;
  }
  __device__ static void wait() {
    if constexpr (kOfWarps > 1)
      __syncthreads();
    else
      __syncwarp();
  }
  /// Returns the best way of all threads.
  __device__ Way<Number> best(Way<Number> way) {
    way.take_best_of_warp();
    if constexpr (kOfWarps > 1) {
      const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp % kOfWarps;
      if (threadIdx.x % kWarp == 0) out[warp] = way.out, along[warp] = way.along;
      __syncthreads();
      way = {out[lane], along[lane]};
      __syncthreads();
      way.take_best_of_warp();
    }
    return way;
  }
  __device__ void take(int i, const HullExtents& extents) {
    const auto bits = [](double value) {
      return static_cast<unsigned long long>(__double_as_longlong(value));
    };
    atomicMax(diameters + i, bits(extents.diameter_squared));
    atomicMin(widths + i, bits(extents.least_width));
  }
  __device__ void get(int i, HullExtents& extents) const {
    extents.diameter_squared = __longlong_as_double(static_cast<long long>(diameters[i]));
    extents.least_width = __longlong_as_double(static_cast<long long>(widths[i]));
  }
};

/// The hull of one object, by all threads of a block.
template <int threads, class Number>
struct BlockHull {
  using Outline = measuring::Outline<Number, EndsOfRows<Number>>;

  Outline outline;
  int* corners;  // twice their height, and 1 for those at the right
  SharedHull<threads, Number>& shared;

  __device__ HullPoint<Number> point(int corner) const {
    return corner % 2 != 0 ? outline.right(corner / 2) : outline.left(corner / 2);
  }

  /// Finds the ends of rows.
  template <class Id>
  __device__ void find_ends(const Rows<Id>& labels, Id label, const DeviceComponent& box) const {
    const EndsOfRows<Number>& rows = outline.rows;
    const std::int64_t width = std::int64_t{box.max[0]} - box.min[0] + 1;
    for (int i = static_cast<int>(threadIdx.x); i < rows.count; i += threads) {
      const Id* const row = labels.at(box.min[0], box.min[1] + i, box.min[2]);
      // Returns the number of elements before the first one, from a side.
      const auto before = [&](std::int64_t first, int step) {
        constexpr int kAtOnce = 4;  // elements that are loaded before they are used
        for (std::int64_t n = 0; n < width; n += kAtOnce) {
          Id ids[kAtOnce];
#pragma unroll
          for (int k = 0; k < kAtOnce; ++k)
            ids[k] = n + k < width ? load_input(row + first + step * (n + k)) : Id{0};
#pragma unroll
          for (int k = 0; k < kAtOnce; ++k)
            if (ids[k] == label) return n + k;
        }
        return width;
      };
      const std::int64_t begin = before(0, 1);
      rows.begins[i] = begin < width ? static_cast<int>(begin) : measuring::kNoBegin;
      rows.ends[i] = begin < width ? static_cast<int>(width - before(width - 1, -1)) : 0;
    }
  }

  /// Calls side(corner, from, to) for each side of the hull, as all threads do, in the order of the CPU. The
  /// first corner is at the left of the top. Points behind may have moved by then.
  template <class Side>
  __device__ void walk(const Side& side) const {
    const int bottom = static_cast<int>(outline.heights()) - 1;
    int corner = 0;
    HullPoint<Number> from = point(corner);
    const auto go_to = [&](int next, const HullPoint<Number>& to) {
      if (!(from == to)) side(corner, from, to);
      corner = next;
      from = to;
    };
    const auto follow = [&](int step, int last) {
      while (corner / 2 != last) {
        const Way<Number> way = way_on(corner, from, last);
        go_to(corner + 2 * step * static_cast<int>(way.along),
              {from.x + step * way.out, from.y + step * way.along});
      }
    };
    go_to(1, point(1));
    follow(1, bottom);
    go_to(2 * bottom, point(2 * bottom));
    follow(-1, 0);
  }

  /// Makes the rows of the object those of the elements in its hull, and adds up their number.
  __device__ void fill() const {
    const EndsOfRows<Number>& rows = outline.rows;
    walk([&](int, const HullPoint<Number>& a, const HullPoint<Number>& b) {
      if (a.y == b.y) return;
      shared.wait();  // all have read the rows at the last corner
      // Rows at corners have their ends. Those behind are not looked at again on this side.
      const measuring::HullSide<Number> hull_side(a, b);
      int* const ends = hull_side.is_right ? rows.ends : rows.begins;
      const int begin = static_cast<int>(hull_side.top.y + 1) / 2,
                end = static_cast<int>(hull_side.bottom.y) / 2;
      for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += threads)
        ends[i] = hull_side.row_end(2 * Number{i} + 1);
    });
    __syncthreads();
    unsigned long long area = 0;
    for (int i = static_cast<int>(threadIdx.x); i < rows.count; i += threads)
      if (rows.ends[i] > 0) area += static_cast<unsigned long long>(rows.ends[i] - rows.begins[i]);
    if (area > 0) atomicAdd(&shared.area, area);
  }

  /// Measures the hull of filled rows. `physical` has a width of 0 if it is not wanted.
  __device__ void measure(HullExtents extents, HullExtents physical) const {
    int count = 0;
    walk([&](int from, const HullPoint<Number>&, const HullPoint<Number>&) {
      if (threadIdx.x == 0) corners[count] = from;
      ++count;
    });
    __syncthreads();
    const auto corner = [&](int i) { return point(corners[i]); };
    const measuring::HullCorners hull{count, corner};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
      const int far = i == 0 ? 1 : hull.farthest(i - 1, i, [](int) {});
      hull.measure_side(i, far, extents);
      if (physical.width > 0) hull.measure_side(i, far, physical);
    }
    if (static_cast<int>(threadIdx.x) >= count) return;
    shared.take(0, extents);
    if (physical.width > 0) shared.take(1, physical);
  }

 private:
  /// Returns the way from a corner at `from` to the next one of its side. `last`: the height of the last one.
  __device__ Way<Number> way_on(int corner, const HullPoint<Number>& from, int last) const {
    const bool is_right = corner % 2 != 0;
    const int heights = is_right ? last - corner / 2 : corner / 2 - last;
    Way<Number> way;
    for (int n = 1 + static_cast<int>(threadIdx.x); n <= heights; n += threads) {
      if (is_right) {
        const int height = corner / 2 + n;
        if (outline.has_right(height)) way.take({outline.right(height).x - from.x, n});
      } else {
        const int height = corner / 2 - n;
        if (outline.has_left(height)) way.take({from.x - outline.left(height).x, n});
      }
    }
    return shared.best(way);
  }
};

/// The data of a call that kernels need.
template <class Id>
struct HullCall {
  Rows<Id> labels;
  const DeviceComponent* components;
  CountedBits occurs;
  std::size_t rows;  // of the table
  ColumnSet columns;
  double spacing[2];  // 0: unknown
  HullMemory memory;
};

GPUCCL_HD inline int rows_of(const DeviceComponent& box) { return box.max[1] - box.min[1] + 1; }

/// Writes the row of a label without a hull.
template <class Id>
__device__ void put_no_hull(const HullCall<Id>& call, std::uint64_t i, const DeviceComponent& component) {
  const HullExtents none = measuring::no_extents();
  TableRow values{call.columns, row_of(component, i, call.occurs)};
  measuring::put_hull(component.area, measuring::kNoValue, none, &none, values);
}

/// Measures the hull of label i + 1. All threads of a block call it.
template <int threads, class Number, class Id>
__device__ void measure_hull(const HullCall<Id>& call, std::uint64_t i, const DeviceComponent& component,
                             int* rows, SharedHull<threads, Number>& shared) {
  const int count = rows_of(component);
  const BlockHull<threads, Number> hull{{{count, rows, rows + count}}, rows + 2 * count, shared};
  shared.clear();
  hull.find_ends(call.labels, static_cast<Id>(i + 1), component);
  __syncthreads();
  hull.fill();
  HullExtents extents{0.5, 0.5}, physical{call.spacing[0] / 2, call.spacing[1] / 2};
  if (call.memory.with_diameters) hull.measure(extents, physical);
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.get(0, extents);
    shared.get(1, physical);
    TableRow values{call.columns, row_of(component, i, call.occurs)};
    measuring::put_hull(component.area, static_cast<double>(shared.area), extents,
                        physical.width > 0 ? &physical : nullptr, values);
  }
  __syncthreads();  // before the next one
}

template <class Id>
__global__ void __launch_bounds__(kWarp) measure_hulls(HullCall<Id> call, std::size_t count) {
  __shared__ int rows[2 * kSmallRows + corners_of(kSmallRows)];
  __shared__ SharedHull<kWarp, int> shared;
  for (std::uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const DeviceComponent component = call.components[i];
    if (row_of(component, i, call.occurs) >= call.rows) continue;
    if (component.min[2] != component.max[2]) {  // slices of a stack
      if (threadIdx.x == 0) put_no_hull(call, i, component);
    } else if (rows_of(component) <= kSmallRows && component.max[0] - component.min[0] < kSmallColumns) {
      measure_hull<kWarp, int>(call, i, component, rows, shared);
    } else if (threadIdx.x == 0) {
      call.memory.list[atomicAdd(call.memory.counts, 1u)] = static_cast<std::uint32_t>(i);
    }
  }
}

template <class Id>
__global__ void __launch_bounds__(kManyThreads) measure_large_hulls(HullCall<Id> call) {
  __shared__ SharedHull<kManyThreads, long long> shared;
  __shared__ std::uint32_t taken;
  const HullMemory& memory = call.memory;
  const std::uint32_t count = memory.counts[0];
  for (;;) {
    if (threadIdx.x == 0) taken = atomicAdd(memory.counts + 1, 1u);
    __syncthreads();
    if (taken >= count) return;
    const std::uint32_t i = memory.list[taken];
    measure_hull<kManyThreads, long long>(call, i, call.components[i],
                                          memory.rows + blockIdx.x * memory.pitch, shared);
  }
}

}  // namespace

bool has_hull(MeasureId id) {
  using enum MeasureId;
  return (feret_diameter_max <= id && id <= solidity) || id == feret_diameter_max_physical ||
         id == feret_diameter_min_physical;
}

HullMemory::HullMemory(const DeviceMeasuring& request, Arena& arena) {
  for (const DeviceColumn& column : request.columns) {
    if (!column.measure || !has_hull(*column.measure)) continue;
    wanted = true;
    with_diameters |= *column.measure != MeasureId::area_convex && *column.measure != MeasureId::solidity;
  }
  if (!wanted) return;
  const Extent extent = request.labels.extent;
  constexpr int kMaxRows = INT32_MAX / 8;
  if (extent.height > kMaxRows)
    throw Error(ErrorCode::memory, std::to_string(extent.height) + " rows are more than " +
                                       std::to_string(kMaxRows) +
                                       ", the limit of convex hulls on a GPU; measure on the CPU");
  // Not much more than a byte per element.
  const std::size_t of_block =
      2 * static_cast<std::size_t>(extent.height) + static_cast<std::size_t>(corners_of(extent.height));
  const std::size_t fit = static_cast<std::size_t>(extent.elements()) / (of_block * sizeof(int));
  blocks = static_cast<unsigned>(std::clamp<std::size_t>(fit, 1, kMaxBlocks));
  blocks = std::min(blocks, std::max(1u, request.largest));
  pitch = of_block;
  list = arena.take<std::uint32_t>(request.largest);
  counts = arena.take<std::uint32_t>(2);
  rows = arena.take<int>(pitch * blocks);
}

void enqueue_hulls(const DeviceMeasuring& request, const HullMemory& memory,
                   const DeviceComponent* components, const CountedBits& occurs, const ColumnSet& columns,
                   PhaseClock& phase) {
  if (!memory.wanted) return;
  check(cudaMemsetAsync(memory.counts, 0, 2 * sizeof(*memory.counts), phase.stream()),
        "counting large labels");
  with_id(request.labels.type, [&]<class Id>(Id) {
    const HullCall<Id> call{Rows<Id>(request.labels),
                            components,
                            occurs,
                            request.capacity,
                            columns,
                            {request.spacing[0], request.spacing[1]},
                            memory};
    phase("Hulls", measure_hulls<Id>, LaunchShape{dim3(std::min(request.largest, kWarps)), dim3(kWarp)}, call,
          std::size_t{request.largest});
    phase("Large hulls", measure_large_hulls<Id>, LaunchShape{dim3(memory.blocks), dim3(kManyThreads)}, call);
  });
}

}  // namespace gpuccl::cuda::tables
