// Hierarchical merging of shared-memory tiles (SMCCL), 2D, 4- and 8-connectivity.
//
//   O. Stava, B. Benes, "Connected Component Labeling in CUDA", GPU Computing Gems Emerald Edition, chapter
//   35, 2011 (as described in Chen et al. 2018, doi:10.1109/ACCESS.2018.2872452, figure 2)
//
// LocalMerge labels tiles in shared memory by label equivalence, with all iterations inside one kernel.
// BorderMerge is launched once per level and joins 4 x 4 tiles: a thread block visits the pixels on both
// sides of their common borders, until all pairs have equal roots. Relabeling follows the links of the whole
// image. The description leaves two points open, at which older kernels are wrong on newer devices:
// - Links are read from the L2 cache while tiles are merged. The L1 cache could return the old link forever,
//   so a pair would never agree.
// - A group of tiles belongs to one thread block. Pixels that touch across the group's outer border wait for
//   the level at which they are in one group.

#include <algorithm>

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/tile.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace smccl {
namespace {

using SmcclTile = PixelTile<32, 16>;
constexpr int kTilesASide = 4;  // per group

template <Connectivity connectivity>
__global__ void local_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  __shared__ Label links[SmcclTile::kPixels];
  const TileForestWithBackground forest{links};
  const PixelThread at = SmcclTile::of_this_thread(image.extent);
  const Index here = SmcclTile::index();
  const bool foreground = is_foreground(image, at.x, at.y, at.z);

  SharedByBlock::store(links + here, foreground ? OneBased::pack(here) : 0);
  __syncthreads();
  for (bool again = true; again;) {
    const Label own = SharedByBlock::load(links + here);
    Label least = own;
    if (foreground)
      for_each_neighbor<connectivity>([&](int dx, int dy, int) {
        if (SmcclTile::holds(dx, dy))
          least = min_positive(least, SharedByBlock::load(links + SmcclTile::index(dx, dy)));
      });
    __syncthreads();
    if (least != own) SharedByBlock::fetch_min(links + OneBased::unpack(own), least);
    again = __syncthreads_or(least != own) != 0;
    if (foreground) forest.compress(here);
    __syncthreads();
  }

  if (!at.inside(image.extent)) return;
  const Label label = SharedByBlock::load(links + here);
  SharedByThreads::store(
      &labels(at.x, at.y, at.z),
      foreground ? OneBased::pack(SmcclTile::in_image(labels, at, OneBased::unpack(label))) : 0);
}

/// Tiles of one level, and their groups, one per thread block. 64-bit, because a group may be larger than the
/// largest image.
struct Level {
  Extent extent;
  std::int64_t tile_width, tile_height;

  GPUCCL_HD std::int64_t groups_across() const { return groups(extent.width, tile_width); }
  GPUCCL_HD std::int64_t groups_down() const { return groups(extent.height, tile_height); }

  LaunchShape shape() const {
    const std::int64_t borders =
        (kTilesASide - 1) * (std::min<std::int64_t>(extent.width, kTilesASide * tile_width) +
                             std::min<std::int64_t>(extent.height, kTilesASide * tile_height));
    const std::int64_t warps =
        std::clamp<std::int64_t>(borders / 64, 1, 32);  // two pixels per thread, within these limits
    return {dim3(static_cast<unsigned>(groups_across() * groups_down() * extent.depth)),
            dim3(static_cast<unsigned>(32 * warps))};
  }

 private:
  GPUCCL_HD static std::int64_t groups(int side, std::int64_t tile) {
    return (side + kTilesASide * tile - 1) / (kTilesASide * tile);
  }
};

/// The pixels of up to 4 x 4 tiles.
struct Group {
  int x, y, z;        // its corner
  int width, height;  // less at the end of the image

  __device__ static Group of_this_block(const Level& level) {
    const std::int64_t row = blockIdx.x / level.groups_across();
    const std::int64_t width = kTilesASide * level.tile_width, height = kTilesASide * level.tile_height;
    const std::int64_t x = blockIdx.x % level.groups_across() * width;
    const std::int64_t y = row % level.groups_down() * height;
    return {static_cast<int>(x), static_cast<int>(y), static_cast<int>(row / level.groups_down()),
            static_cast<int>(min(width, level.extent.width - x)),
            static_cast<int>(min(height, level.extent.height - y))};
  }
  __device__ bool holds(PixelThread at) const {
    return x <= at.x && at.x < x + width && y <= at.y && at.y < y + height;
  }

  /// Distributes the pixels just after the borders between tiles over the threads of the block. Passes each
  /// pixel with the step across the border.
  template <class Visit>
  __device__ void for_each_border_pixel(const Level& level, Visit visit) const {
    const std::int64_t rows = (height - 1) / level.tile_height, columns = (width - 1) / level.tile_width;
    for (std::int64_t i = threadIdx.x; i < rows * width; i += blockDim.x)
      visit(at(i % width, (i / width + 1) * level.tile_height), 0, -1);
    for (std::int64_t i = threadIdx.x; i < columns * height; i += blockDim.x)
      visit(at((i / height + 1) * level.tile_width, i % height), -1, 0);
  }

 private:
  __device__ PixelThread at(std::int64_t dx, std::int64_t dy) const {
    return {x + static_cast<int>(dx), y + static_cast<int>(dy), z};
  }
};

/// Links the larger root to the smaller one, unless another thread links it at the same time. Returns false
/// if both roots are equal.
__device__ bool join_roots(ImageRef<Label> labels, PixelThread a, PixelThread b) {
  const UnionFind<OneBased, FreshByThreads> forest{labels.data};
  const Index root_a = forest.find(labels.index(a.x, a.y, a.z));
  const Index root_b = forest.find(labels.index(b.x, b.y, b.z));
  if (root_a == root_b) return false;
  FreshByThreads::fetch_min(labels.data + max(root_a, root_b), OneBased::pack(min(root_a, root_b)));
  return true;
}

template <Connectivity connectivity>
__global__ void border_merge(ImageRef<const Pixel> image, ImageRef<Label> labels, Level level) {
  const Group group = Group::of_this_block(level);
  bool again = true;
  while (__syncthreads_or(again) != 0) {
    again = false;
    group.for_each_border_pixel(level, [&](PixelThread at, int dx, int dy) {
      if (!is_foreground(image, at.x, at.y, at.z)) return;
      const auto join = [&](PixelThread other) {
        if (!group.holds(other) || !is_foreground(image, other.x, other.y, other.z)) return false;
        again |= join_roots(labels, at, other);
        return true;
      };
      const PixelThread across{at.x + dx, at.y + dy, at.z};
      if (join(across) || connectivity == Connectivity::c4) return;  // that pixel touches its neighbors
      join({across.x + dy, across.y + dx, at.z});
      join({across.x - dy, across.y - dx, at.z});
    });
  }
}

// ---- host

template <Connectivity connectivity>
class Smccl final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;

    phase("LocalMerge", local_merge<connectivity>, SmcclTile::Grid::shape(extent), buffers.image,
          buffers.labels);
    Level level{extent, SmcclTile::kWidth, SmcclTile::kHeight};
    for (; level.tile_width < extent.width || level.tile_height < extent.height;
         level.tile_width *= kTilesASide, level.tile_height *= kTilesASide)
      phase("BorderMerge", border_merge<connectivity>, level.shape(), buffers.image, buffers.labels, level);
    compress_labels("Relabeling", buffers, phase);
  }
};

}  // namespace
}  // namespace smccl

Variants smccl_variants() { return variants<smccl::Smccl, Connectivity::c4, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
