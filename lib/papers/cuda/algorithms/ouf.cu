// Optimized Union-Find (OUF), 2D, 4- and 8-connectivity.
//
//   J. Chen, Q. Yao, H. Sabirin, K. Nonaka, H. Sankoh, S. Naito, "An Optimized Union-Find Algorithm for
//   Connected Components Labeling Using GPUs", arXiv:1708.08180 (section II, figures 3 and 4)
//
// LocalMerge (Kernel 1) labels a tile coarsely by rows and columns, so the union-find that follows, again
// along rows and columns, has short paths. BoundaryAnalysis (Kernel 2) merges pixels across the borders
// between tiles. Link follows the links to their roots. Two points differ from the paper:
// - A pixel is linked to the pixel above instead of to that pixel's label, which another thread may be
//   changing.
// - Background is not labeled. 8-connectivity is done as in C2FL by the same authors (c2fl.cu).

#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/coarse_to_fine.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace ouf {
namespace {

using OufTile = PixelTile<32, 16>;  // the paper's
constexpr Scans kRowsAndColumns = Scans::rows_and_columns;

template <Connectivity connectivity>
class Ouf final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;

    phase("LocalMerge", label_tile<OufTile, kRowsAndColumns, kRowsAndColumns, connectivity>,
          OufTile::Grid::shape(extent), buffers.image, buffers.labels);
    phase("BoundaryAnalysis", merge_borders<OufTile, connectivity>, BorderThread<OufTile>::shape(extent),
          buffers.image, buffers.labels);
    compress_labels("Link", buffers, phase);
  }
};

}  // namespace
}  // namespace ouf

Variants ouf_variants() { return variants<ouf::Ouf, Connectivity::c4, Connectivity::c8>(); }

}  // namespace gpuccl::cuda
