// Block Equivalence (BE), 2D (8-connectivity) and 3D (26-connectivity).
//
//   S. Zavalishin, I. Safonov, Y. Bekhtin, I. Kurilin, "Block Equivalence Algorithm for Labeling 2D and 3D
//   Images on GPU", Electronic Imaging, 2016 (as described in Allegretti et al. 2020,
//   doi:10.1109/TPDS.2019.2934683)
//
// Label equivalence (ole.cu) of 2x2 or 2x2x2 blocks. All foreground pixels of a block touch each other, which
// does not hold for other connectivities. Init finds the neighbors that each block touches, and stores one
// bit for each in the connectivity map. The block-label map contains i + 1 for block i, or 0 if the block is
// empty. Scan and Analysis read only these two maps. FinalLabeling writes labels to pixels. Its first step
// translates block numbers to the indices of the blocks' first pixels, as renumbering requires.

#include <type_traits>

#include "cuda/device/pixel_forest.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/device/block_pixels.cuh"
#include "papers/cuda/labelers/block_labeler.cuh"

namespace gpuccl::cuda {
namespace be {
namespace {

/// One bit for each neighbor of a block, in raster order.
template <class Block>
using Connections = std::conditional_t<Block::kDepth == 1, std::uint8_t, std::uint32_t>;

/// Number of neighbors before a block; as many follow it.
template <class Block>
constexpr int kPreceding = Block::kDepth == 1 ? 4 : kPrecedingBlocks;
/// Number of the first neighbor in the order of offset_of_block().
template <class Block>
constexpr int kFirst = kPrecedingBlocks - kPreceding<Block>;

template <class Block>
__device__ unsigned connections_of(Window3d touching) {
  constexpr unsigned kBefore = ~(~0u << kPreceding<Block>);
  const unsigned blocks = blocks_of<kFirst<Block>, 2 * kPreceding<Block> + 1>(touching);  // this one, too
  return (blocks & kBefore) | (blocks >> 1 & ~kBefore);
}

/// Returns the foreground pixels around block X that touch a foreground pixel of X, on all sides, unlike
/// touching_pixels() and touching_voxels().
template <class Block>
__device__ Window3d touching_all_around(ImageRef<const Pixel> image, Block X, BlockPixels own) {
  Window3d reach = 0;
#pragma unroll
  for (int i = 0; i < 4 * Block::kDepth; ++i)
    if (own >> i & 1u) reach |= reach_of(i & 1, i >> 1 & 1, i >> 2);

  const bool has_left = X.x > 0, has_right = X.x < image.extent.width - 2;
  Window3d around = 0;
  // Loads are issued together, as in touching_voxels().
#pragma unroll
  for (int dz = Block::kDepth == 1 ? 0 : -1; dz <= 2 * (Block::kDepth - 1); ++dz)
#pragma unroll
    for (int dy = -1; dy <= 2; ++dy) {
      const bool inside = image.extent.contains(X.x, X.y + dy, X.z + dz);
      const Pixel* const row = &image(X.x, inside ? X.y + dy : X.y, inside ? X.z + dz : X.z);
      unsigned found = load_pair(row) << 1;
      if (has_left) found |= load_input(row - 1);
      if (has_right) found |= static_cast<unsigned>(load_input(row + 2)) << 3;
      around |= static_cast<Window3d>(inside ? found : 0u) << (16 * (dz + 1) + 4 * (dy + 1));
    }
  return around & reach;
}

/// Returns the position of a block in the maps, which are as wide as the image in blocks.
template <class Block>
__device__ Index entry(ImageRef<Label> blocks, Block X) {
  return blocks.index(X.x / 2, X.y / 2, X.z / Block::kDepth);
}

template <class Block>
__global__ void init(ImageRef<const Pixel> image, ImageRef<Label> blocks, Connections<Block>* connections) {
  const Block X = Block::of_this_thread(image.extent);
  if (!X.inside(image.extent)) return;

  const BlockPixels own = load_pixels(image, X);
  const Window3d touching = own != 0 ? touching_all_around(image, X, own) : 0;
  const Index here = entry(blocks, X);
  SharedByThreads::store(blocks.data + here, own != 0 ? OneBased::pack(here) : 0);
  connections[here] = static_cast<Connections<Block>>(connections_of<Block>(touching));
}

template <class Block>
__global__ void scan(ImageRef<Label> blocks, const Connections<Block>* connections, Label* changed) {
  const PixelThread at = PixelThread::of_this_thread(blocks.extent);
  const Label own = label_at(blocks, at);
  if (own == 0) return;

  const unsigned touching = connections[blocks.index(at.x, at.y, at.z)];
  Label least = own;
#pragma unroll
  for (int i = 0; i < 2 * kPreceding<Block>; ++i) {
    const int number = kFirst<Block> + i + (i < kPreceding<Block> ? 0 : 1);
    if ((touching >> i & 1) != 0)
      least = min(least, SharedByThreads::load(&blocks(at.x + offset_of_block(number, 0),
                                                       at.y + offset_of_block(number, 1),
                                                       at.z + offset_of_block(number, 2))));
  }
  if (least == own) return;
  Label* const link = blocks.data + OneBased::unpack(own);
  if (least < SharedByThreads::load(link)) SharedByThreads::store(link, least);
  raise(changed);
}

__global__ void analysis(ImageRef<Label> blocks) {
  const PixelThread at = PixelThread::of_this_thread(blocks.extent);
  if (label_at(blocks, at) != 0) PixelForest{blocks.data}.compress(blocks.index(at.x, at.y, at.z));
}

/// Writes, for every block, the node of its root in the label image, computed from the number of the root
/// block.
template <class Block>
__global__ void translate(ImageRef<Label> blocks, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::of_this_thread(blocks.extent);
  const Label label = label_at(blocks, at);
  if (label == 0) return;

  const Index root = OneBased::unpack(label);
  const Index z = root / blocks.slice_pitch, in_slice = root - z * blocks.slice_pitch;
  const Index y = in_slice / blocks.pitch, x = in_slice - y * blocks.pitch;
  const auto node = [&](int bx, int by, int bz) { return labels.index(2 * bx, 2 * by, Block::kDepth * bz); };
  SharedByThreads::store(
      labels.data + node(at.x, at.y, at.z),
      ZeroBased::pack(node(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z))));
}

// ---- host

template <class Block>
class Be final : public BlockLabeler<Block, PixelsFromImage> {
  using BlockLabeler<Block, PixelsFromImage>::BlockLabeler;

  void reserve_maps(const LabelingBuffers& buffers) override {
    const Extent image = buffers.image.extent;
    const auto half = [](int side) { return static_cast<int>(ceil_div(static_cast<unsigned>(side), 2)); };
    blocks_.extent = {half(image.width), half(image.height),
                      Block::kDepth == 1 ? image.depth : half(image.depth)};
    blocks_.pitch = buffers.labels.pitch / 2;
    blocks_.slice_pitch = blocks_.pitch * static_cast<Index>(blocks_.extent.height);
    const std::size_t count =
        static_cast<std::size_t>(blocks_.slice_pitch) * static_cast<std::size_t>(blocks_.extent.depth);
    block_labels_.reserve(count, "allocating block labels");
    connections_.reserve(count, "allocating block connections");
    blocks_.data = block_labels_.data();
  }

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(blocks_.extent);

    phase("Init", init<Block>, Block::Grid::shape(buffers.image.extent), buffers.image, blocks_,
          connections_.data());
    changed_.repeat(phase, [&] {
      phase("Scan", scan<Block>, shape, blocks_, connections_.data(), changed_.data());
      phase("Analysis", analysis, shape, blocks_);
    });
    phase("FinalLabeling", translate<Block>, shape, blocks_, buffers.labels);
  }

  ImageRef<Label> blocks_;
  DeviceBuffer<Label> block_labels_;
  DeviceBuffer<Connections<Block>> connections_;
  DeviceFlag changed_;
};

}  // namespace
}  // namespace be

Variants be_variants() {
  return {variant<be::Be<Block2x2>, Connectivity::c8>(), variant<be::Be<Block2x2x2>, Connectivity::c26>()};
}

}  // namespace gpuccl::cuda
