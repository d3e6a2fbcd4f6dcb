// Eight-Directional Label Selection (8DLS), 2D, 8-connectivity.
//
//   Y. Soh, H. Ashraf, Y. Hae, I. Kim, "Fast Parallel Connected Component Labeling Algorithms Using CUDA
//   Based on 8-directional Label Selection", International Journal of Latest Research in Science and
//   Technology 3(2), 2014
//
// Every foreground pixel has a label of its own at first. Scan: each thread goes from its pixel in the eight
// directions as far as there is foreground and takes the smallest label that it meets; again until no label
// changes.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/labelers/pixel_labeler.cuh"
#include "cuda/phases/pixel_labels.cuh"
#include "cuda/runtime/device_flag.hpp"

namespace gpuccl::cuda {
namespace dls {
namespace {

__global__ void scan(ImageRef<Label> labels, Label* changed) {
  const PixelThread at = PixelThread::mine(labels.extent);
  const Label own = label_at(labels, at);
  if (own == 0) return;

  Label least = own;
  for_each_neighbor<Connectivity::c8>([&](int dx, int dy, int) {
    PixelThread met{at.x + dx, at.y + dy, at.z};
    for (Label label = label_at(labels, met); label != 0; label = label_at(labels, met)) {
      least = min(least, label);
      met.x += dx;
      met.y += dy;
    }
  });
  if (least == own) return;
  SharedByThreads::store(&labels(at.x, at.y, at.z), least);
  raise(changed);
}

// ---- host

class Dls final : public PixelLabeler {
 public:
  explicit Dls(int gpu) : PixelLabeler(gpu, Connectivity::c8) {}

 private:
  void enqueue(const Job& job, PhaseClock& phase) override {
    own_labels("Init", job, phase);
    changed_.repeat(phase, [&] {
      phase("Scan", scan, PixelThread::Grid::shape(job.image.extent), job.labels, changed_.data());
    });
  }

  DeviceFlag changed_;
};

}  // namespace
}  // namespace dls

Variants dls_variants() { return {variant<dls::Dls>(Connectivity::c8)}; }

}  // namespace gpuccl::cuda
