// Row-Column Unification (RCU), 2D, 4- and 8-connectivity.
//
//   O. Kalentev, A. Rai, S. Kemnitz, R. Schneider, "Connected component labeling on a 2D grid using CUDA",
//   Journal of Parallel and Distributed Computing 71(4), 2011, doi:10.1016/j.jpdc.2010.10.012
//
// One thread walks along a row, forward and back, and writes to each run its smallest label. Then one thread
// walks along each column. This repeats until nothing changes. Two points are not in the paper:
// - 8-connectivity: the threads of columns read three pixels of the previous row.
// - Rows go through shared memory in pieces of 32 x 32 pixels, so global memory is still read along rows.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace rcu {
namespace {

constexpr int kLanes = 32;  // rows per warp, and pixels of each in shared memory

/// 32 x 32 labels, with an additional column, so that lanes that walk along rows access different memory
/// banks.
using Piece = Label[kLanes][kLanes + 1];

/// Writes to the pixels of this lane's row the smallest label of their run so far, from the left for step 1
/// and from the right for step -1. Returns true if a label changed.
__device__ bool carry_along(Piece& piece, int step, Label& carried) {
  Label* const row = piece[threadIdx.x];
  bool changed = false;
  for (int i = 0, x = step > 0 ? 0 : kLanes - 1; i < kLanes; ++i, x += step) {
    const Label own = row[x];
    carried = own == 0 ? 0 : min_positive(own, carried);
    changed |= own != carried;
    row[x] = carried;
  }
  return changed;
}

/// Scans `rows` rows from `first`, each `width` pixels long. Called by one warp.
__device__ bool scan_rows(Label* first, int width, Index pitch, int rows, int step) {
  __shared__ Piece piece;
  const int lane = static_cast<int>(threadIdx.x);
  const int pieces = static_cast<int>(ceil_div(static_cast<unsigned>(width), kLanes));
  bool changed = false;
  Label carried = 0;
  for (int i = 0; i < pieces; ++i) {
    const int x = (step > 0 ? i : pieces - 1 - i) * kLanes + lane;
    const auto label = [&](int row) { return first + static_cast<Index>(row) * pitch + x; };
    for (int row = 0; row < kLanes; ++row)
      piece[row][lane] = row < rows && x < width ? SharedByThreads::load(label(row)) : 0;
    __syncwarp(kAllLanes);
    const bool piece_changed = carry_along(piece, step, carried);
    __syncwarp(kAllLanes);  // lanes read writes of others, and votes do not order memory accesses
    if (__any_sync(kAllLanes, piece_changed)) {
      for (int row = 0; row < rows; ++row)
        if (x < width) SharedByThreads::store(label(row), piece[row][lane]);
    }
    __syncwarp(kAllLanes);
    changed |= piece_changed;
  }
  return changed;
}

__global__ void rows(ImageRef<Label> labels, Label* changed) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * kLanes;
  const int count = static_cast<int>(min(std::int64_t{kLanes}, labels.extent.rows() - begin));
  Label* const first = labels.data + begin * labels.pitch;

  const bool forward = scan_rows(first, labels.extent.width, labels.pitch, count, 1);
  const bool backward = scan_rows(first, labels.extent.width, labels.pitch, count, -1);
  if (forward || backward) raise(changed);
}

/// Scans the column of `at` downward (step 1) or upward (step -1).
template <Connectivity connectivity>
__device__ bool scan_column(ImageRef<Label> labels, PixelThread at, int step) {
  constexpr int kAhead = 8;  // rows loaded at a time; otherwise every step would wait for memory
  const int height = labels.extent.height;
  const auto label = [&](int dx, int y) { return label_at(labels, {at.x + dx, y, at.z}); };
  bool changed = false;
  Label carried = 0;
  for (int left = height; left > 0; left -= kAhead) {
    const int begin = height - left;
    Label own[kAhead], beside[kAhead];
    for (int i = 0; i < kAhead; ++i) {
      const int y = step > 0 ? begin + i : height - 1 - begin - i;
      own[i] = label(0, y);
      beside[i] = 0;
      if (connectivity == Connectivity::c8 && own[i] != 0)
        beside[i] = min_positive(label(-1, y - step), label(1, y - step));
    }
    for (int i = 0; i < kAhead; ++i) {
      const int y = step > 0 ? begin + i : height - 1 - begin - i;
      carried = own[i] == 0 ? 0 : min_positive(own[i], min_positive(carried, beside[i]));
      if (carried == own[i]) continue;
      SharedByThreads::store(&labels(at.x, y, at.z), carried);
      changed = true;
    }
  }
  return changed;
}

template <Connectivity connectivity>
__global__ void columns(ImageRef<Label> labels, Label* changed) {
  const std::uint64_t column = ThreadLine<1, kLanes>::of_this_thread();  // of all slices
  const auto width = static_cast<std::uint64_t>(labels.extent.width);
  const PixelThread at{static_cast<int>(column % width), 0, static_cast<int>(column / width)};
  if (!at.inside(labels.extent)) return;

  const bool down = scan_column<connectivity>(labels, at, 1);
  const bool up = scan_column<connectivity>(labels, at, -1);
  if (down || up) raise(changed);
}

// ---- host

template <Connectivity connectivity>
class Rcu final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;
    const auto warps_of_rows = static_cast<unsigned>((extent.rows() + kLanes - 1) / kLanes);
    const LaunchShape a_row_each{dim3(warps_of_rows), dim3(kLanes)};
    const LaunchShape a_column_each = ThreadLine<1, kLanes>::shape(static_cast<std::uint64_t>(extent.width) *
                                                                   static_cast<unsigned>(extent.depth));

    own_labels("Init", buffers, phase);
    changed_.repeat(phase, [&] {
      phase("Rows", rows, a_row_each, buffers.labels, changed_.data());
      phase("Columns", columns<connectivity>, a_column_each, buffers.labels, changed_.data());
    });
  }

  DeviceFlag changed_;
};

}  // namespace
}  // namespace rcu

Variants rcu_variants() { return variants<rcu::Rcu, Connectivity::c4, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
