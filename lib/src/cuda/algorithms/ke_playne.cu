// Komura Equivalence without redundant unions (KE of Playne and Hawick), 4- and 6-connectivity.
//
//   D. Playne, K. Hawick, "A New Algorithm for Parallel Connected-Component Labelling on GPUs", IEEE TPDS
//   29(6), 2018, doi:10.1109/TPDS.2018.2799216
//
// As in KE (ke.cu) an element x is linked first to one preceding neighbor: Z behind it, else Y above, else X
// to its left. Of the others it must be united only with those that are not connected by a detour of which
// every part is linked already or some earlier element's affair:
//
//     YX Y       If Y is foreground, X is reached by YX, and so in the other two planes: X by ZX, Y by ZY.
//     What is X  x       left to unite in 2D is X and Y without YX.

#include "cuda/algorithms/algorithms.hpp"
#include "cuda/device/pixel_forest.cuh"
#include "cuda/phases/pixel_labels.cuh"
#include "cuda/runtime/cuda_labeler.cuh"

namespace gpuccl::cuda {
namespace {

template <Connectivity connectivity>
__global__ void init_labels(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!at.inside(image.extent)) return;

  const Index here = image.index(at.x, at.y, at.z);
  Index parent = here;
  if (load_input(image.data + here) == 0) {
    SharedByThreads::store(labels.data + here, 0);
    return;
  }
  for_each_preceding<connectivity>([&](int dx, int dy, int dz) {
    if (parent == here && is_foreground(image, at.x + dx, at.y + dy, at.z + dz))
      parent = image.index(at.x + dx, at.y + dy, at.z + dz);
  });
  SharedByThreads::store(labels.data + here, OneBased::pack(parent));
}

template <Connectivity connectivity>
__global__ void label_reduction(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const PixelThread at = PixelThread::mine(image.extent);
  if (!is_foreground(image, at.x, at.y, at.z)) return;

  const auto foreground = [&](int dx, int dy, int dz) {
    return is_foreground(image, at.x + dx, at.y + dy, at.z + dz);
  };
  const bool X = foreground(-1, 0, 0);
  const bool Y = foreground(0, -1, 0);
  const bool Z = is_3d(connectivity) && foreground(0, 0, -1);
  const PixelForest forest{labels.data};
  const Index here = labels.index(at.x, at.y, at.z);

  if (Y && Z && !foreground(0, -1, -1)) forest.unite(here, here - labels.pitch);
  const bool linked_elsewhere = Y || Z;
  if (X && linked_elsewhere && !(Y && foreground(-1, -1, 0)) && !(Z && foreground(-1, 0, -1)))
    forest.unite(here, here - 1);
}

// ---- host

template <Connectivity connectivity>
class KePlayne final : public CudaLabeler {
 public:
  explicit KePlayne(int gpu) : CudaLabeler(gpu, connectivity) {}

 private:
  void enqueue(const Job& job, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(job.image.extent);

    phase("InitLabels", init_labels<connectivity>, shape, job.image, job.labels);
    compress_labels("ResolveLabels", job, phase);
    phase("LabelReduction", label_reduction<connectivity>, shape, job.image, job.labels);
    compress_labels("ResolveLabels", job, phase);
  }
};

}  // namespace

std::unique_ptr<Labeler> make_ke_playne_c4(int gpu) {
  return std::make_unique<KePlayne<Connectivity::c4>>(gpu);
}
std::unique_ptr<Labeler> make_ke_playne_c6(int gpu) {
  return std::make_unique<KePlayne<Connectivity::c6>>(gpu);
}

}  // namespace gpuccl::cuda
