// Neighbour propagation (NP), 2D and 3D.
//
//   K. Hawick, A. Leist, D. Playne, "Parallel graph component labelling with GPUs and CUDA", Parallel
//   Computing 36, 2010, doi:10.1016/j.parco.2010.07.002 (the hypercubic mesh, Kernel A)
//
// Each element takes the smallest label of its neighborhood until nothing changes: in the worst case, as many
// iterations as a component is long. Labels are changed in place, so one iteration may move a label by more
// than one element.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace np {
namespace {

template <Connectivity connectivity>
__global__ void propagate(ImageRef<Label> labels, Label* changed) {
  const PixelThread at = PixelThread::of_this_thread(labels.extent);
  const Label own = label_at(labels, at);
  if (own == 0) return;

  const Label least = least_label_around<connectivity>(labels, at, own);
  if (least == own) return;
  SharedByThreads::store(&labels(at.x, at.y, at.z), least);
  raise(changed);
}

// ---- host

template <Connectivity connectivity>
class Np final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(buffers.image.extent);

    own_labels("Init", buffers, phase);
    changed_.repeat(
        phase, [&] { phase("Propagate", propagate<connectivity>, shape, buffers.labels, changed_.data()); });
  }

  DeviceFlag changed_;
};

}  // namespace
}  // namespace np

Variants np_variants() {
  return variants<np::Np, Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18,
                  Connectivity::c26>();
}

}  // namespace gpuccl::cuda
