#pragma once

#include "common/shape.hpp"
#include "cuda/device/bit_rows.cuh"
#include "cuda/device/thread_grid.cuh"

namespace gpuccl::cuda {

/// A word of 64 columns of a bundle (common/shape.hpp), one per thread. Bundles are in the order of the host,
/// with words_a_row words each.
template <cpu::RowSet set>
struct BundleWord {
  static constexpr int kHeight = cpu::height_of(set), kDepth = cpu::depth_of(set);
  using Grid = ThreadGrid<64, kHeight, kDepth, 32, 8>;

  int column;  // index of the word in its row
  int y, z;    // of the bundle's first row

  __device__ static BundleWord of_this_thread(Extent extent) {
    const int3 origin = Grid::origin(extent);
    return {origin.x / 64, origin.y, origin.z};
  }
  __device__ bool inside(const BitRows& bits) const {
    return column < static_cast<int>(bits.words_a_row) && y < bits.extent.height && z < bits.extent.depth;
  }

  /// Returns the index among the words of all bundles.
  __device__ std::uint64_t index(const BitRows& bits) const {
    const int a_layer = (bits.extent.height - 1) / kHeight + 1;
    return static_cast<std::uint64_t>(std::int64_t{z / kDepth} * a_layer + y / kHeight) * bits.words_a_row +
           static_cast<unsigned>(column);
  }

  /// Calls visit(index of the word in the image) for each row of the bundle inside the image.
  template <class Visit>
  __device__ void for_each_row(const BitRows& bits, Visit visit) const {
#pragma unroll
    for (int i = 0; i < kHeight * kDepth; ++i) {
      const int row = y + i % kHeight, slice = z + i / kHeight;
      if (row < bits.extent.height && slice < bits.extent.depth)
        visit(static_cast<std::uint64_t>(std::int64_t{slice} * bits.extent.height + row) * bits.words_a_row +
              static_cast<unsigned>(column));
    }
  }
};

/// Calls work.operator()<set>() with the rows of a bundle.
template <class Work>
void with_rows_of_bundle(Connectivity connectivity, Work work) {
  switch (cpu::rows_of_bundle(connectivity)) {
    case 0b1111:
      return work.template operator()<0b1111>();
    case 0b0011:
      return work.template operator()<0b0011>();
    default:
      return work.template operator()<0b0001>();
  }
}

}  // namespace gpuccl::cuda
