// Label propagation by propagation sizes (RASMUSSON), 2D, 8-connectivity.
//
//   A. Rasmusson, T. Sørensen, G. Ziegler, "Connected Components Labeling on the GPU with Generalization to
//   Voronoi Diagrams and Signed Distance Fields", International Symposium on Visual Computing (ISVC), 2013,
//   doi:10.1007/978-3-642-41914-0_21 (details as in the code of Bolelli et al. 2024,
//   doi:10.1109/TPDS.2024.3434357)
//
// A thread block keeps a tile of labels and the pixels around it in shared memory. Propagate: first, each
// pixel takes the current label of its primary pixel, from which its label comes. Then, along diagonals,
// columns and rows, it takes the minimum label of its two neighbors and of the two pixels at its propagation
// sizes. A propagation size is the number of foreground pixels in one direction, up to one pixel outside the
// tile. All tiles are repeated until no label changes.
//
// Each warp processes a line of the tile, so sizes are counted with warp votes. The code of Bolelli et al.
// doubles sizes in five steps, and stores the connections of a pixel in four bits of its label. Here
// connections follow from the labels around the pixel, so all 32 bits belong to the label.
//
// Threads read labels in shared and global memory while other threads write them, as in the paper. This is
// safe: the labels belong to the same component, and a smaller label that was missed is read later.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace rasmusson {
namespace {

constexpr int kSide = 32;
using SquareTile = PixelTile<kSide, kSide>;

constexpr int kPatchSide = kSide + 2;  // with one pixel around the tile
constexpr int kPatchPixels = kPatchSide * kPatchSide;

/// Returns the index in the patch of a pixel in the tile or next to it.
__device__ int in_patch(int x, int y) { return (y + 1) * kPatchSide + x + 1; }

/// Returns the number of steps of `dx` from column x of the tile to the pixels around the tile.
__device__ int steps_to_edge(int x, int dx) { return dx == 0 ? kSide : dx < 0 ? x + 1 : kSide - x; }

/// Returns the number of consecutive bits set, from this lane's bit downward.
__device__ int set_bits_down(unsigned lanes) {
  return __clz(static_cast<int>(~(lanes << (kWarp - 1 - threadIdx.x))));
}
/// Returns the number of consecutive bits set, from this lane's bit upward.
__device__ int set_bits_up(unsigned lanes) { return __clz(static_cast<int>(~__brev(lanes >> threadIdx.x))); }

/// Propagates along a line of the tile: this lane processes pixel (x, y), the next lane (x + dx, y + dy).
/// Lanes beyond the edge of the tile begin another line. Returns true if the label of (x, y) changed.
template <int dx, int dy>
__device__ bool propagate_along(Label* patch, int x, int y) {
  constexpr int kStep = dy * kPatchSide + dx;
  Label* const here = patch + in_patch(x, y);
  const Label own = SharedByBlock::load(here);
  const bool meets_before = own != 0 && SharedByBlock::load(here - kStep) != 0;
  const bool meets_after = own != 0 && SharedByBlock::load(here + kStep) != 0;
  const int before = min(set_bits_down(__ballot_sync(kAllLanes, meets_before)), steps_to_edge(x, -dx));
  const int after = min(set_bits_up(__ballot_sync(kAllLanes, meets_after)), steps_to_edge(x, dx));

  Label least = own;
  const auto look_at = [&](int steps) { least = min(least, SharedByBlock::load(here + steps * kStep)); };
  if (before > 0) {
    look_at(-1);
    look_at(-before);
  }
  if (after > 0) {
    look_at(1);
    look_at(after);
  }
  if (least == own) return false;
  SharedByBlock::store(here, least);
  return true;
}

/// Gives this thread's pixel the label of its primary pixel if the primary pixel is in the patch.
__device__ bool take_label_of_primary(ImageRef<Label> labels, PixelThread at, Label* patch) {
  const int left = at.x - static_cast<int>(threadIdx.x), top = at.y - static_cast<int>(threadIdx.y);
  Label* const here = patch + in_patch(at.x - left, at.y - top);
  const Label own = SharedByBlock::load(here);
  if (own == 0) return false;

  const Index primary = OneBased::unpack(own) - labels.index(0, 0, at.z);
  const int x = static_cast<int>(primary % labels.pitch) - left;
  const int y = static_cast<int>(primary / labels.pitch) - top;
  if (x < -1 || x > kSide || y < -1 || y > kSide) return false;
  const Label label = SharedByBlock::load(patch + in_patch(x, y));
  if (label >= own) return false;
  SharedByBlock::store(here, label);
  return true;
}

__global__ void propagate(ImageRef<Label> labels, Label* changed) {
  __shared__ Label patch[kPatchPixels];
  const PixelThread at = SquareTile::of_this_thread(labels.extent);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  for (int i = y * kSide + x; i < kPatchPixels; i += SquareTile::kPixels)
    SharedByBlock::store(
        patch + i, label_at(labels, {at.x - x - 1 + i % kPatchSide, at.y - y - 1 + i / kPatchSide, at.z}));
  __syncthreads();

  const Label* const here = patch + in_patch(x, y);
  const Label before = SharedByBlock::load(here);
  bool is_changed = take_label_of_primary(labels, at, patch);
  __syncthreads();
  is_changed |= propagate_along<1, 1>(patch, (x + y) % kSide, x);
  __syncthreads();
  is_changed |= propagate_along<-1, 1>(patch, (kSide - 1 - x + y) % kSide, x);
  __syncthreads();
  is_changed |= propagate_along<0, 1>(patch, y, x);
  __syncthreads();
  is_changed |= propagate_along<1, 0>(patch, x, y);
  __syncthreads();

  if (is_changed) raise(changed);
  const Label after = SharedByBlock::load(here);
  if (after != before) SharedByThreads::store(&labels(at.x, at.y, at.z), after);
}

// ---- host

class Rasmusson final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    own_labels("Init", buffers, phase);
    changed_.repeat(phase, [&] {
      phase("Propagate", propagate, SquareTile::Grid::shape(buffers.image.extent), buffers.labels,
            changed_.data());
    });
  }

  DeviceFlag changed_;
};

}  // namespace
}  // namespace rasmusson

Variants rasmusson_variants() { return {variant<rasmusson::Rasmusson, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
