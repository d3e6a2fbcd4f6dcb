// Distanceless Label Propagation (DLP), 2D, 8-connectivity.
//
//   L. Cabaret, L. Lacassagne, D. Etiemble, "Distanceless Label Propagation: an Efficient Direct Connected
//   Component Labeling Algorithm for GPUs", IPTA, 2017, doi:10.1109/IPTA.2017.8310147 (section III, algorithm
//   5)
//
// A label is the index of a pixel plus 1, and a link to that pixel. The mask is a window of 2x2 pixels:
//
//     a b     All of them touch each other, which does not hold for 4-connectivity.
//     c d
//
// TileLabeling labels tiles in shared memory. Each pixel gets its own number (DLP-I). Windows write their
// smallest label to the pixels that their labels point to (DLP-SR); a race may undo this. Links are followed
// to the root (DLP-R). Windows merge their labels, without races (DLP-RUF). Links are followed again (DLP-R)
// and converted to labels of the image. SouthBorders and EastBorders merge windows that extend into the next
// tile. Relabeling follows the links of the whole image. The first DLP-SR and DLP-R are optional (omitted by
// variant dlp-ruf), and so is the second DLP-R, because Relabeling can do its work (omitted by variant
// dlp-lazy).
//
// The paper leaves two choices open. Tiles are 64 x 8: the size closest to its 84 x 8 that is a multiple of
// warps. The last row and column of a tile begin windows that are cut off there, because the image may cut
// off tiles.

#include <string>

#include "cuda/cuda.hpp"
#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/tile.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace dlp {
namespace {

using UsualTile = PixelTile<64, 8>;

/// Optional steps to perform.
enum class Steps {
  all,
  no_preprocessing,  // DLP-SR and DLP-R before DLP-RUF
  no_flattening,     // DLP-R after it
};

/// Calls join(label, smallest) for each label of a window except the smallest. label(dx, dy) returns the
/// label of a pixel.
template <class LabelOf, class Join>
__device__ void join_window(LabelOf label, Join join) {
  const Label window[] = {label(0, 0), label(1, 0), label(0, 1), label(1, 1)};
  const Label least = min_positive(min_positive(window[0], window[1]), min_positive(window[2], window[3]));
  for (const Label one : window)
    if (one != 0 && one != least) join(one, least);
}

/// Recursive union-find (algorithm 4), with its tail recursion as a loop. Unlike UnionFind::unite(), it does
/// not find roots, but lowers every link on the path. A link that is low enough needs no atomic operation;
/// along a border, almost every link is.
template <class Memory>
__device__ void ruf(Label* links, Label label, Label least) {
  while (label > least) {
    count_step<Memory>();
    Label* const link = links + OneBased::unpack(label);
    Label was = Memory::load(link);
    if (was > least) was = Memory::fetch_min(link, least);
    if (was == label) return;  // the label was a root
    label = max(was, least);
    least = min(was, least);
  }
}

template <class DlpTile, Steps steps>
__global__ void tile_labeling(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  __shared__ Label links[DlpTile::kPixels];
  const TileForestWithBackground forest{links};
  const PixelThread at = DlpTile::of_this_thread(image.extent);
  const bool foreground = is_foreground(image, at.x, at.y, at.z);
  const Index here = DlpTile::index();
  const auto label_in_tile = [&](int dx, int dy) {
    return DlpTile::holds(dx, dy) ? SharedByBlock::load(links + DlpTile::index(dx, dy)) : 0;
  };

  SharedByBlock::store(links + here, foreground ? OneBased::pack(here) : 0);
  __syncthreads();
  if constexpr (steps != Steps::no_preprocessing) {
    join_window(label_in_tile, [&](Label label, Label least) {
      Label* const link = links + OneBased::unpack(label);
      if (least < SharedByBlock::load(link)) SharedByBlock::store(link, least);
    });
    __syncthreads();
    if (foreground) forest.compress_inline(here);
    __syncthreads();
  }
  join_window(label_in_tile, [&](Label label, Label least) { ruf<SharedByBlock>(links, label, least); });
  __syncthreads();

  if (!at.inside(image.extent)) return;
  Label label = 0;
  if (foreground) {
    const Index link = steps != Steps::no_flattening ? forest.find(here)
                                                     : OneBased::unpack(SharedByBlock::load(links + here));
    label = OneBased::pack(DlpTile::in_image(labels, at, link));
  }
  SharedByThreads::store(&labels(at.x, at.y, at.z), label);
}

__device__ void unite_window(ImageRef<Label> labels, PixelThread at) {
  join_window(
      [&](int dx, int dy) {
        return label_at(labels, {at.x + dx, at.y + dy, at.z});
      },
      [&](Label label, Label least) { ruf<SharedByThreads>(labels.data, label, least); });
}

/// One thread per pixel of a tile's last row, and of its last column.
template <class DlpTile, unsigned threads>
using SouthGrid = ThreadGrid<1, DlpTile::kHeight, 1, threads, 1>;
template <class DlpTile, unsigned threads>
using EastGrid = ThreadGrid<DlpTile::kWidth, 1, 1, 1, threads>;

template <class DlpTile, unsigned threads>
__global__ void south_borders(ImageRef<Label> labels) {
  const int3 tile = SouthGrid<DlpTile, threads>::origin(labels.extent);
  unite_window(labels, {tile.x, tile.y + DlpTile::kHeight - 1, tile.z});
}

template <class DlpTile, unsigned threads>
__global__ void east_borders(ImageRef<Label> labels) {
  const int3 tile = EastGrid<DlpTile, threads>::origin(labels.extent);
  unite_window(labels, {tile.x + DlpTile::kWidth - 1, tile.y, tile.z});
}

// ---- host

template <Steps steps, class DlpTile = UsualTile, unsigned south = 128, unsigned east = 128>
class Dlp final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;

    phase("TileLabeling", tile_labeling<DlpTile, steps>, DlpTile::Grid::shape(extent), buffers.image,
          buffers.labels);
    phase("SouthBorders", south_borders<DlpTile, south>, SouthGrid<DlpTile, south>::shape(extent),
          buffers.labels);
    phase("EastBorders", east_borders<DlpTile, east>, EastGrid<DlpTile, east>::shape(extent), buffers.labels);
    compress_labels("Relabeling", buffers, phase);
  }
};

template <int width, int height, unsigned south, unsigned east>
BlockConfiguration configuration() {
  return {std::to_string(width) + "x" + std::to_string(height) + " " + std::to_string(south) + "x1 1x" +
              std::to_string(east),
          {variant<Dlp<Steps::all, PixelTile<width, height>, south, east>, Connectivity::c8>()}};
}

}  // namespace
}  // namespace dlp

Variants dlp_variants() { return {variant<dlp::Dlp<dlp::Steps::all>, Connectivity::c8>()}; }
Variants dlp_ruf_variants() { return {variant<dlp::Dlp<dlp::Steps::no_preprocessing>, Connectivity::c8>()}; }
Variants dlp_lazy_variants() { return {variant<dlp::Dlp<dlp::Steps::no_flattening>, Connectivity::c8>()}; }

/// Thread blocks of TileLabeling, SouthBorders and EastBorders: first the paper's, then other tiles, then
/// other border blocks.
std::vector<BlockConfiguration> dlp_configurations() {
  using namespace dlp;
  return {configuration<84, 8, 112, 96>(),   configuration<64, 8, 128, 128>(),
          configuration<32, 8, 128, 128>(),  configuration<32, 16, 128, 128>(),
          configuration<32, 32, 128, 128>(), configuration<128, 8, 128, 128>(),
          configuration<64, 8, 64, 64>(),    configuration<64, 8, 256, 256>()};
}

}  // namespace gpuccl::cuda
