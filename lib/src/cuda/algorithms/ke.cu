// Komura Equivalence (KE), 2D, 4- and 8-connectivity.
//
//   Y. Komura, "GPU-based cluster-labeling algorithm without the use of conventional iteration", Computer
//   Physics Communications 194, 2015, doi:10.1016/j.cpc.2015.04.015 (4-connectivity) S. Allegretti, F.
//   Bolelli, M. Cancilla, C. Grana, "Optimizing GPU-Based Connected Components Labeling Algorithms", IPAS
//   2018, doi:10.1109/IPAS.2018.8708900 (8-connectivity, the union with a single atomic)
//
// Initialization links a pixel to the first foreground pixel among its preceding neighbors, without any
// atomic operation. Analysis relinks at every step of a walk, so that pixels met later walk less. Reduction
// unites a pixel with those that Initialization left out and that no other pixel takes care of:
//
//     NW N NE      4: W, if N was linked to and NW does not connect the two
//     W  x         8: nothing if N is foreground, which touches all others; else NE if NW was linked to, and
//                     W if NE was; W and NW take care of each other

#include "common/neighborhood.hpp"
#include "cuda/algorithms/algorithms.hpp"
#include "cuda/device/memory.cuh"
#include "cuda/device/pixel_thread.cuh"
#include "cuda/runtime/cuda_labeler.cuh"

namespace gpuccl::cuda {
namespace {

using Forest = UnionFind<OneBased, SharedByThreads>;

template <Connectivity connectivity>
__global__ void initialization(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!at.inside(image.extent)) return;

  const Index here = image.index(at.x, at.y, at.z);
  Label link = 0;
  if (load_input(image.data + here) != 0) {
    Index parent = here;
    for_each_preceding<connectivity>([&](int dx, int dy, int) {
      if (parent == here && is_foreground(image, at.x + dx, at.y + dy, at.z))
        parent = image.index(at.x + dx, at.y + dy, at.z);
    });
    link = OneBased::pack(parent);
  }
  SharedByThreads::store(labels.data + here, link);
}

__global__ void analysis(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  Forest{labels.data}.compress_inline(labels.index(at.x, at.y, at.z));
}

template <Connectivity connectivity>
__global__ void reduction(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  const auto foreground = [&](int dx, int dy) { return is_foreground(image, at.x + dx, at.y + dy, at.z); };
  const auto unite = [&](int dx, int dy) {
    Forest{labels.data}.unite(labels.index(at.x, at.y, at.z), labels.index(at.x + dx, at.y + dy, at.z));
  };
  if constexpr (connectivity == Connectivity::c4) {
    if (foreground(0, -1) && foreground(-1, 0) && !foreground(-1, -1)) unite(-1, 0);
  } else {
    if (foreground(0, -1) || !foreground(1, -1)) return;
    if (foreground(-1, -1)) {
      unite(1, -1);
    } else if (foreground(-1, 0)) {
      unite(-1, 0);
    }
  }
}

// ---- host

template <Connectivity connectivity>
class Ke final : public CudaLabeler {
 public:
  explicit Ke(int gpu) : CudaLabeler(gpu, connectivity) {}

 private:
  void enqueue(const Job& job, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(job.image.extent);

    phase("Initialization", initialization<connectivity>, shape, job.image, job.labels);
    phase("Analysis", analysis, shape, job.image, job.labels);
    phase("Reduction", reduction<connectivity>, shape, job.image, job.labels);
    phase("Analysis", analysis, shape, job.image, job.labels);
  }
};

}  // namespace

std::unique_ptr<Labeler> make_ke_c4(int gpu) { return std::make_unique<Ke<Connectivity::c4>>(gpu); }
std::unique_ptr<Labeler> make_ke_c8(int gpu) { return std::make_unique<Ke<Connectivity::c8>>(gpu); }

}  // namespace gpuccl::cuda
