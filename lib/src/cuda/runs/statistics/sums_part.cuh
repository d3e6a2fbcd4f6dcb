#pragma once

#include <cstddef>

#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile_sums.cuh"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/labels.hpp"
#include "measure/neighbors.hpp"

// Contributions of a tile to the sums that measures of shape and topology are derived from.
namespace gpuccl::cuda::runs {

/// Indices of the sums. Coordinates are relative to the tile's corner, so their sums fit into 32 bits.
template <bool is_volume>
struct PartValues {
  static constexpr int kAxes = is_volume ? 3 : 2;
  static constexpr int kProducts = is_volume ? 6 : 3;  // in the order of SumsLayout::moments
  static constexpr int kDirections =
      (is_volume ? sizeof(measuring::kDirectionsOfVolume) : sizeof(measuring::kDirectionsOfImage)) /
      sizeof(measuring::Direction);

  static constexpr int kArea = 0, kSums = 1, kMoments = kSums + kAxes, kPerimeter = kMoments + kProducts;
  static constexpr int kKinds = is_volume ? 0 : 3;  // kinds of boundary elements
  static constexpr int kCrofton = kPerimeter + kKinds, kEuler = kCrofton + kDirections;
  static constexpr int kAll = kEuler + 1;
};

template <bool is_volume>
struct SumsPart {
  static constexpr int kValues = PartValues<is_volume>::kAll;

  Label label = 0;
  unsigned values[kValues] = {};

  __device__ void add(const SumsPart& other) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i] += other.values[i];
  }

  /// Returns the part of the lane whose index differs by XOR with `distance`.
  __device__ SumsPart of_lane_beside(int distance) const {
    SumsPart other;
#pragma unroll
    for (int i = 0; i < kValues; ++i) other.values[i] = __shfl_xor_sync(kAllLanes, values[i], distance);
    return other;
  }
};

/// Adds up the parts of a warp's lanes by component: the first lane of a component gets the sum, the others
/// get label 0. Unlike gather_in_warp(), it uses the reduction instruction of compute capability 8.0. `used`:
/// a bit per value that may not be 0.
template <std::uint32_t used = ~0u, bool is_volume>
__device__ void add_up_in_warp(SumsPart<is_volume>& part) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  gather_in_warp(part);
#else
  const unsigned lane = threadIdx.x % kWarp;
  for (unsigned left = __ballot_sync(kAllLanes, part.label != 0); left != 0;) {
    const auto first = static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
    const bool same = part.label == __shfl_sync(kAllLanes, part.label, static_cast<int>(first));
    const unsigned lanes = __ballot_sync(kAllLanes, same);
    left &= ~lanes;
    if ((lanes & (lanes - 1)) == 0) continue;
#pragma unroll
    for (int i = 0; i < SumsPart<is_volume>::kValues; ++i) {
      if ((used >> i & 1u) == 0) continue;
      const unsigned sum = __reduce_add_sync(kAllLanes, same ? part.values[i] : 0);
      if (lane == first) part.values[i] = sum;
    }
    if (same && lane != first) part.label = 0;
  }
#endif
}

/// Contributions to components of one tile in shared memory, to which its threads add.
template <bool is_volume, int entries>
struct SharedSums {
  static constexpr int kEntries = entries;

  Label label[kEntries];
  unsigned values[SumsPart<is_volume>::kValues][kEntries];

  __device__ void clear(int i) {
    label[i] = 0;
    for (auto& value : values) value[i] = 0;
  }
  /// Adds all of `part`, except its label, to entry i.
  __device__ void add(unsigned i, const SumsPart<is_volume>& part) {
#pragma unroll
    for (int k = 0; k < SumsPart<is_volume>::kValues; ++k)
      if (part.values[k] != 0) atomicAdd(values[k] + i, part.values[k]);
  }
  __device__ SumsPart<is_volume> part(int i) const {
    SumsPart<is_volume> part;
    part.label = label[i];
#pragma unroll
    for (int k = 0; k < SumsPart<is_volume>::kValues; ++k) part.values[k] = values[k][i];
    return part;
  }
};

/// The sums of all components on the device: `layout.words` words each.
template <bool is_volume>
struct GlobalSums {
  using Values = PartValues<is_volume>;

  unsigned long long* data;
  SumsLayout layout;

  /// Adds a part whose coordinates are relative to `corner`.
  __device__ void add(const SumsPart<is_volume>& part, const int (&corner)[3]) const {
    unsigned long long* const sums =
        data + (part.label - std::size_t{1}) * static_cast<unsigned>(layout.words);
    if (layout.moments >= 0) add_moments(part, corner, sums + layout.moments);
    const auto add_counts = [&](int place, int first, int count) {
      if (place < 0) return;
#pragma unroll
      for (int i = 0; i < count; ++i)
        if (const auto value = static_cast<int>(part.values[first + i]); value != 0)
          atomicAdd(sums + place + i, static_cast<unsigned long long>(static_cast<long long>(value)));
    };
    add_counts(layout.perimeter, Values::kPerimeter, Values::kKinds);
    add_counts(layout.crofton, Values::kCrofton, Values::kDirections);
    add_counts(layout.euler, Values::kEuler, 1);
  }

 private:
  /// Adds the sums of (a + A)(b + B), derived from those of a b, a and b.
  __device__ static void add_moments(const SumsPart<is_volume>& part, const int (&corner)[3],
                                     unsigned long long* sums) {
    using Sum = unsigned long long;
    const Sum area = part.values[Values::kArea];
    int i = 0;
#pragma unroll
    for (int b = 0; b < Values::kAxes; ++b) {
#pragma unroll
      for (int a = 0; a <= b; ++a, ++i) {
        const Sum from_a = static_cast<unsigned>(corner[a]), from_b = static_cast<unsigned>(corner[b]);
        atomicAdd(sums + i, part.values[Values::kMoments + i] + from_a * part.values[Values::kSums + b] +
                                from_b * part.values[Values::kSums + a] + area * from_a * from_b);
      }
    }
  }
};

}  // namespace gpuccl::cuda::runs
