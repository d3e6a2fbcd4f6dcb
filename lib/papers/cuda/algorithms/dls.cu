// Eight-Directional Label Selection (8DLS, M8DLS), 2D, 8-connectivity.
//
//   Y. Soh, H. Ashraf, Y. Hae, I. Kim, "Fast Parallel Connected Component Labeling Algorithms Using CUDA
//   Based on 8-directional Label Selection", International Journal of Latest Research in Science and
//   Technology 3(2), 2014 (M8DLS as in the code of Bolelli et al. 2024, doi:10.1109/TPDS.2024.3434357)
//
// Each foreground pixel has a label of its own at first. Scan: each thread walks from its pixel in eight
// directions, as far as the foreground extends, and takes the smallest label that it reads. Scans repeat
// until no label changes. M8DLS: after the first scan, a thread scans only if its label has changed at its
// origin, the pixel from which the label comes.
//
// This condition alone ends too early: if two labels meet and neither has changed at its origin, no thread
// scans. So a scan of all pixels follows here, and both repeat until that scan changes nothing.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/device/tile.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace dls {
namespace {

using ScanTile = PixelTile<16, 16>;

enum class Scanned { all, with_moved_origin };

/// Returns the number of pixels from `at` to the edge of the image in direction `dx`, `dy`.
__device__ int pixels_ahead(Extent extent, PixelThread at, int dx, int dy) {
  const int across = dx < 0 ? at.x : extent.width - 1 - at.x;
  const int down = dy < 0 ? at.y : extent.height - 1 - at.y;
  return dx == 0 ? down : dy == 0 ? across : min(across, down);
}

/// Returns the minimum of `least` and the labels from `at` in direction `dx`, `dy` up to background.
__device__ Label least_ahead(ImageRef<Label> labels, PixelThread at, int dx, int dy, Label least) {
  const std::ptrdiff_t step = dy * static_cast<std::ptrdiff_t>(labels.pitch) + dx;
  const Label* next = &labels(at.x, at.y, at.z) + step;
  for (int left = pixels_ahead(labels.extent, at, dx, dy); left > 0; --left, next += step) {
    const Label label = SharedByThreads::load(next);
    if (label == 0) break;
    least = min(least, label);
  }
  return least;
}

template <Scanned scanned>
__global__ void scan(ImageRef<Label> labels, Label* changed) {
  const PixelThread at = ScanTile::of_this_thread(labels.extent);
  const Label own = label_at(labels, at);
  if (own == 0) return;
  if (scanned == Scanned::with_moved_origin &&
      SharedByThreads::load(labels.data + OneBased::unpack(own)) == own)
    return;

  Label least = own;
  for_each_neighbor<Connectivity::c8>(
      [&](int dx, int dy, int) { least = least_ahead(labels, at, dx, dy, least); });
  if (least == own) return;
  SharedByThreads::store(&labels(at.x, at.y, at.z), least);
  raise(changed);
}

// ---- host

template <Scanned scanned>
class Dls final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = ScanTile::Grid::shape(buffers.image.extent);

    own_labels("Init", buffers, phase);
    changed_.repeat(phase, [&] {
      phase("Scan", scan<Scanned::all>, shape, buffers.labels, changed_.data());
      if constexpr (scanned == Scanned::with_moved_origin)
        changed_again_.repeat(
            phase, [&] { phase("Scan", scan<scanned>, shape, buffers.labels, changed_again_.data()); });
    });
  }

  DeviceFlag changed_, changed_again_;
};

}  // namespace
}  // namespace dls

Variants dls_variants() { return {variant<dls::Dls<dls::Scanned::all>, Connectivity::c8>()}; }
Variants m8dls_variants() { return {variant<dls::Dls<dls::Scanned::with_moved_origin>, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
