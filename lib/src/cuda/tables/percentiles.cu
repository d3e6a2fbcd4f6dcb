// Median and percentiles of the samples of labels, as on the CPU (lib/src/measure/value_counts.cpp).
//
//   place          the samples of each label, or the counts of all values, get a part of an array
//   take           samples go there; a warp adds those of a run of one label in a row at once
//   percentiles    a warp finds the samples of a label at the ranks by their upper, then their lower bytes;
//                  from counts a thread block does

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/tables/label_rows.cuh"
#include "cuda/tables/percentiles.cuh"
#include "measure/percentiles.hpp"

namespace gpuccl::cuda::tables {
namespace {

using measuring::Percentile;

constexpr int kColumns = 128, kRows = 16;  // of a tile
using Grid = ThreadGrid<1, kRows, 1, kColumns, 1>;
constexpr unsigned kRanks = 2 * Percentile::kCount;  // the two samples around each percentile
constexpr unsigned kBytes = 256;
constexpr int kCounting = 256;                 // threads for a label with counts
constexpr std::uint32_t kMaxBlocks = 1 << 14;  // others go on with further labels

/// Gives each label its part of the entries, and clears counts.
__global__ void __launch_bounds__(kWarp)
    place_samples(const DeviceComponent* components, std::size_t count, SampleLists lists) {
  constexpr unsigned kEach = SampleLists::kEach;
  const unsigned lane = threadIdx.x, values = static_cast<unsigned>(lists.values);
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * kWarp; first < count;
       first += std::uint64_t{gridDim.x} * kWarp) {
    const std::uint64_t own = first + lane;
    const unsigned long long area = own < count ? components[own].area : 0;
    const bool counted = lists.has_counts(area);
    // The parts of a warp's labels follow each other. Those of counts may begin at the next multiple of
    // kEach.
    const unsigned needed = counted ? values * kEach + kEach - 1 : static_cast<unsigned>(area);
    const unsigned up_to_lane = sum_up_to_lane(needed);
    unsigned long long begin = 0;
    if (lane == kWarp - 1) begin = atomicAdd(lists.end, static_cast<unsigned long long>(up_to_lane));
    begin = __shfl_sync(kAllLanes, begin, kWarp - 1) + up_to_lane - needed;
    if (counted) begin = (begin + kEach - 1) / kEach * kEach;
    if (own < count) {
      lists.taken[own] = 0;
      lists.begins[own] = begin;
    }
    for (unsigned rest = __ballot_sync(kAllLanes, counted); rest != 0; rest &= rest - 1) {
      const unsigned long long at = __shfl_sync(kAllLanes, begin, __ffs(static_cast<int>(rest)) - 1);
      auto* const counts = reinterpret_cast<unsigned long long*>(lists.entries + at);
      for (unsigned value = lane; value < values; value += kWarp) counts[value] = 0;
    }
  }
}

template <class Id, class Sample>
__global__ void __launch_bounds__(kColumns)
    take_samples(Rows<Id> labels, Rows<Sample> samples, Extent extent, std::uint32_t largest,
                 const DeviceComponent* components, SampleLists lists) {
  constexpr int kAtOnce = 4;  // rows that a thread loads before it uses them
  const int3 at = Grid::origin(extent);
  if (at.z >= extent.depth) return;
  const bool exists = at.x < extent.width;
  const unsigned lane = threadIdx.x % kWarp;
  const int rows = min(kRows, extent.height - at.y);
  for (int begin = 0; begin < rows; begin += kAtOnce) {
    Label label[kAtOnce];
    unsigned value[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const bool inside = exists && begin + i < rows;
      label[i] = inside ? label_in(load_input(labels.at(at.x, at.y + begin + i, at.z)), largest) : 0;
      const int sample = inside ? load_input(samples.at(at.x, at.y + begin + i, at.z)) : lists.lowest;
      value[i] = static_cast<unsigned>(sample - lists.lowest);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const std::size_t own = label[i] - std::size_t{1};
      const bool counted = label[i] != 0 && lists.has_counts(load_input(&components[own].area));
      // Lanes of one label, and of one value if these are counted, make a run.
      const Label label_before = __shfl_up_sync(kAllLanes, label[i], 1);
      const unsigned value_before = __shfl_up_sync(kAllLanes, value[i], 1);
      const bool begins = lane == 0 || label_before != label[i] || (counted && value_before != value[i]);
      const unsigned runs = __ballot_sync(kAllLanes, begins), up_to_lane = (2u << lane) - 1;
      const unsigned first = kWarp - 1 - static_cast<unsigned>(__clz(static_cast<int>(runs & up_to_lane)));
      const unsigned behind = runs & ~up_to_lane;
      const unsigned end = behind != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(behind))) - 1 : kWarp;
      std::uint32_t place = 0;
      if (begins && label[i] != 0) {
        if (counted)
          atomicAdd(lists.counts(own) + value[i], static_cast<unsigned long long>(end - first));
        else
          place = atomicAdd(lists.taken + own, end - first);
      }
      place = __shfl_sync(kAllLanes, place, static_cast<int>(first));
      if (label[i] != 0 && !counted)
        lists.entries[lists.begins[own] + place + (lane - first)] = static_cast<std::uint16_t>(value[i]);
    }
  }
}

/// Writes the percentiles of label i + 1 from the samples at the ranks, which are in shared memory.
__device__ void write_percentiles(const SampleLists& lists, const unsigned* found, unsigned long long samples,
                                  TableRow& values) {
  if (threadIdx.x >= Percentile::kCount) return;
  const Percentile percentile = Percentile::of(static_cast<int>(threadIdx.x), samples);
  const auto sample = [&](unsigned i) {
    return static_cast<double>(static_cast<int>(found[2 * threadIdx.x + i]) + lists.lowest);
  };
  values[percentile.id] = percentile.between(sample(0), sample(1));
}

/// Returns the rank that lane `i` looks for.
__device__ unsigned long long rank_of(unsigned i, unsigned long long samples) {
  const unsigned long long rank = Percentile::of(static_cast<int>(i / 2), samples).rank + i % 2;
  return rank < samples ? rank : samples - 1;
}

/// How often each value of a byte occurs, counted by a warp.
struct ByteCounts {
  unsigned up_to[kBytes];  // of this value and smaller ones

  /// byte_of(sample): its byte, or kBytes if it does not count.
  template <class ByteOf>
  __device__ void count(const std::uint16_t* samples, unsigned number, const ByteOf& byte_of) {
    const unsigned lane = threadIdx.x;
    __syncthreads();
    for (unsigned i = lane; i < kBytes; i += kWarp) up_to[i] = 0;
    __syncthreads();
    for (unsigned i = lane; i < number; i += kWarp)
      if (const unsigned byte = byte_of(samples[i]); byte < kBytes) atomicAdd(up_to + byte, 1u);
    __syncthreads();
    constexpr unsigned kEach = kBytes / kWarp;
    unsigned sum = 0, own[kEach];
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) own[i] = sum += up_to[lane * kEach + i];
    const unsigned before = sum_up_to_lane(sum) - sum;
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) up_to[lane * kEach + i] = before + own[i];
    __syncthreads();
  }
  /// Returns the byte of the sample that `rank` others precede, and reduces the rank to those of this byte.
  __device__ unsigned find(unsigned& rank) const {
    unsigned byte = 0;
#pragma unroll
    for (unsigned step = kBytes / 2; step > 0; step /= 2)
      if (up_to[byte + step - 1] <= rank) byte += step;
    if (byte > 0) rank -= up_to[byte - 1];
    return byte;
  }
};

__global__ void __launch_bounds__(kWarp)
    find_percentiles(const DeviceComponent* components, std::size_t count, SampleLists lists,
                     CountedBits occurs, std::size_t rows, ColumnSet columns) {
  __shared__ ByteCounts counts;
  __shared__ unsigned found[kRanks];
  const unsigned lane = threadIdx.x;
  for (std::uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const DeviceComponent component = components[i];
    TableRow values{columns, row_of(component, i, occurs)};
    if (values.row >= rows || lists.has_counts(component.area)) continue;
    const std::uint16_t* const samples = lists.entries + lists.begins[i];
    const auto number = static_cast<unsigned>(component.area);
    const bool two_bytes = lists.values > static_cast<int>(kBytes), looks = lane < kRanks;
    auto rank = looks ? static_cast<unsigned>(rank_of(lane, component.area)) : 0;
    counts.count(samples, number, [&](unsigned sample) { return two_bytes ? sample >> 8 : sample; });
    unsigned byte = looks ? counts.find(rank) : kBytes, lower = 0;
    if (two_bytes) {
      // The lower bytes of one upper byte after the other.
      for (unsigned rest = __ballot_sync(kAllLanes, looks); rest != 0;) {
        const unsigned upper = __shfl_sync(kAllLanes, byte, __ffs(static_cast<int>(rest)) - 1);
        counts.count(samples, number,
                     [&](unsigned sample) { return sample >> 8 == upper ? sample & 0xff : kBytes; });
        if (byte == upper) lower = counts.find(rank);
        rest &= ~__ballot_sync(kAllLanes, byte == upper);
      }
      byte = byte << 8 | lower;
    }
    if (looks) found[lane] = byte;
    __syncthreads();
    write_percentiles(lists, found, component.area, values);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kCounting)
    find_percentiles_of_counts(const DeviceComponent* components, std::size_t count, SampleLists lists,
                               CountedBits occurs, std::size_t rows, ColumnSet columns) {
  __shared__ unsigned long long sums[kCounting];
  __shared__ unsigned found[kRanks];
  __shared__ unsigned chosen[kCounting];
  __shared__ unsigned number;
  const unsigned t = threadIdx.x;
  const unsigned each = static_cast<unsigned>(lists.values) / kCounting;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * kCounting; first < count;
       first += std::uint64_t{gridDim.x} * kCounting) {
    if (t == 0) number = 0;
    __syncthreads();
    if (first + t < count && lists.has_counts(components[first + t].area)) chosen[atomicAdd(&number, 1u)] = t;
    __syncthreads();
    for (unsigned k = 0; k < number; ++k) {
      const std::uint64_t i = first + chosen[k];
      const DeviceComponent component = components[i];
      TableRow values{columns, row_of(component, i, occurs)};
      if (values.row >= rows) continue;
      const unsigned long long* const counts = lists.counts(i);
      unsigned long long sum = 0;
      for (unsigned value = t * each; value < (t + 1) * each; ++value) sum += counts[value];
      sums[t] = sum;
      __syncthreads();
      if (t < kRanks) {
        unsigned long long rank = rank_of(t, component.area);
        unsigned part = 0;
        for (; rank >= sums[part]; ++part) rank -= sums[part];
        unsigned value = part * each;
        for (; rank >= counts[value]; ++value) rank -= counts[value];
        found[t] = value;
      }
      __syncthreads();
      write_percentiles(lists, found, component.area, values);
      __syncthreads();
    }
    __syncthreads();
  }
}

}  // namespace

SampleLists::SampleLists(const DeviceMeasuring& request, Arena& arena) {
  bool wanted = false;
  for (const DeviceColumn& column : request.columns)
    wanted |= column.measure && Percentile::is(*column.measure);
  const std::size_t bytes = bytes_of(request.samples.type);
  if (!wanted || request.samples.data == nullptr || bytes > 2) return;
  values = 1 << 8 * static_cast<int>(bytes);
  lowest = is_signed(request.samples.type) ? -values / 2 : 0;
  begins = arena.take<unsigned long long>(request.largest);
  taken = arena.take<std::uint32_t>(request.largest);
  end = arena.take<unsigned long long>(1);
  entries = arena.take<std::uint16_t>(static_cast<std::size_t>(request.labels.extent.elements()));
}

void enqueue_percentiles(const DeviceMeasuring& request, const SampleLists& lists,
                         const DeviceComponent* components, const CountedBits& occurs,
                         const ColumnSet& columns, PhaseClock& phase) {
  if (lists.values == 0) return;
  const Extent extent = request.labels.extent;
  const std::size_t count = request.largest;
  const auto blocks = [&](std::size_t each) {
    return dim3(static_cast<unsigned>(std::min<std::size_t>((count + each - 1) / each, kMaxBlocks)));
  };
  check(cudaMemsetAsync(lists.end, 0, sizeof(*lists.end), phase.stream()), "placing samples of labels");
  phase("Place", place_samples, LaunchShape{blocks(kWarp), dim3(kWarp)}, components, count, lists);
  with_id(request.labels.type, [&]<class Id>(Id) {
    with_type(request.samples.type, [&]<class Sample>(Sample) {
      if constexpr (sizeof(Sample) <= 2)
        phase("Take", take_samples<Id, Sample>, Grid::shape(extent), Rows<Id>(request.labels),
              Rows<Sample>(request.samples), extent, request.largest, components, lists);
    });
  });
  phase("Percentiles", find_percentiles, LaunchShape{blocks(1), dim3(kWarp)}, components, count, lists,
        occurs, request.capacity, columns);
  phase("Percentiles of counts", find_percentiles_of_counts, LaunchShape{blocks(kCounting), dim3(kCounting)},
        components, count, lists, occurs, request.capacity, columns);
}

}  // namespace gpuccl::cuda::tables
