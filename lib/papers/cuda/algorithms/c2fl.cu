// Coarse-to-Fine labeling (C2FL) and its variants RC2FL, CC2FL and NC2FL, 2D, 4- and 8-connectivity.
//
//   J. Chen, K. Nonaka, H. Sankoh, R. Watanabe, H. Sabirin, S. Naito, "Efficient Parallel Connected Component
//   Labeling With a Coarse-to-Fine Strategy", IEEE Access 6, 2018, doi:10.1109/ACCESS.2018.2872452
//   (section III)
//
// LocalLabeling has three steps: coarse labeling of a tile along rows and then columns (figure 4), refinement
// along rows (figure 5), and conversion to labels of the image (figure 6). BoundaryMerge merges pixels across
// the borders between tiles (figure 7). Update replaces each label by its root. The variants omit coarse
// labeling along columns (RC2FL), along rows (CC2FL) or completely (NC2FL), and refine in all directions that
// this requires.
//
// The paper leaves three choices open. Rows of tiles are as long as a warp, to read along rows; this is the
// second best size of its table 1. Both scans of coarse labeling are one step, which gives the same labels
// according to the paper. With 8-connectivity, diagonals are refined if no row or column connects the two
// pixels.

#include <string>

#include "cuda/cuda.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/coarse_to_fine.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace c2fl {
namespace {

using UsualTile = PixelTile<32, 16>;

/// Returns the scans that refinement must do. Coarse labeling finds all connections along columns, or along
/// rows if it scans only rows.
constexpr Scans refined(Scans coarse) {
  switch (coarse) {
    case Scans::rows_and_columns:
    case Scans::columns:
      return Scans::rows;
    case Scans::rows:
      return Scans::columns;
    case Scans::none:
      break;
  }
  return Scans::rows_and_columns;
}

template <Scans coarse, class C2flTile, Connectivity connectivity>
class C2fl final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;

    phase("LocalLabeling", label_tile<C2flTile, coarse, refined(coarse), connectivity>,
          C2flTile::Grid::shape(extent), buffers.image, buffers.labels);
    phase("BoundaryMerge", merge_borders<C2flTile, connectivity>, BorderThread<C2flTile>::shape(extent),
          buffers.image, buffers.labels);
    compress_labels("Update", buffers, phase);
  }
};

template <Scans coarse, class Tile = UsualTile>
Variants variants_of() {
  using enum Connectivity;
  return {variant<C2fl<coarse, Tile, c4>, c4>(), variant<C2fl<coarse, Tile, c8>, c8>()};
}

template <int width, int height>
BlockConfiguration configuration() {
  return {std::to_string(width) + "x" + std::to_string(height),
          variants_of<Scans::rows_and_columns, PixelTile<width, height>>()};
}

}  // namespace
}  // namespace c2fl

Variants c2fl_variants() { return c2fl::variants_of<Scans::rows_and_columns>(); }
Variants rc2fl_variants() { return c2fl::variants_of<Scans::rows>(); }
Variants cc2fl_variants() { return c2fl::variants_of<Scans::columns>(); }
Variants nc2fl_variants() { return c2fl::variants_of<Scans::none>(); }

/// Configurations of the paper's table 1.
std::vector<BlockConfiguration> c2fl_configurations() {
  using namespace c2fl;
  return {configuration<16, 16>(), configuration<16, 32>(), configuration<32, 16>(),
          configuration<32, 32>(), configuration<16, 64>(), configuration<64, 16>()};
}

}  // namespace gpuccl::cuda
