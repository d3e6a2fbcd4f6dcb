// SAUF on a GPU (C-SAUF), 2D, 8-connectivity.
//
//   S. Allegretti, F. Bolelli, M. Cancilla, F. Pollastri, L. Canalini, C. Grana, "How does Connected
//   Components Labeling with Decision Trees perform on GPUs?", Computer Analysis of Images and Patterns
//   (CAIP), 2019
//   K. Wu, E. Otoo, K. Suzuki, LBNL-59102, 2005 (the tree)
//
// Every pixel is a tree of its own at first. Merge: each thread goes through the decision tree of SAUF, which
// looks at no more neighbors than it must, and does the unions of its leaf. Compression links every pixel to
// its root.
//
//     p q r
//     s x

#include "cuda/device/pixel_forest.cuh"
#include "cuda/labelers/pixel_labeler.cuh"
#include "cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace c_sauf {
namespace {

__global__ void merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread x = PixelThread::mine(image.extent);
  if (!is_foreground(image, x.x, x.y, x.z)) return;

  const auto asks = [&](int dx, int dy) { return is_foreground(image, x.x + dx, x.y + dy, x.z); };
  const auto unite = [&](int dx, int dy) {
    PixelForest{labels.data}.unite(labels.index(x.x, x.y, x.z), labels.index(x.x + dx, x.y + dy, x.z));
  };
  if (asks(0, -1)) {
    unite(0, -1);
  } else if (asks(1, -1)) {
    unite(1, -1);
    if (asks(-1, -1)) {
      unite(-1, -1);
    } else if (asks(-1, 0)) {
      unite(-1, 0);
    }
  } else if (asks(-1, -1)) {
    unite(-1, -1);
  } else if (asks(-1, 0)) {
    unite(-1, 0);
  }
}

// ---- host

class CSauf final : public PixelLabeler {
 public:
  explicit CSauf(int gpu) : PixelLabeler(gpu, Connectivity::c8) {}

 private:
  void enqueue(const Job& job, PhaseClock& phase) override {
    own_labels("Initialization", job, phase);
    phase("Merge", merge, PixelThread::Grid::shape(job.image.extent), job.image, job.labels);
    compress_labels("Compression", job, phase);
  }
};

}  // namespace
}  // namespace c_sauf

Variants c_sauf_variants() { return {variant<c_sauf::CSauf>(Connectivity::c8)}; }

}  // namespace gpuccl::cuda
