// Optimized Label Equivalence (OLE), 2D and 3D.
//
//   O. Kalentev, A. Rai, S. Kemnitz, R. Schneider, "Connected component labeling on a 2D grid using CUDA",
//   Journal of Parallel and Distributed Computing 71(4), 2011, doi:10.1016/j.jpdc.2010.10.012
//
// Label Equivalence (le.cu) without a reference array: the label image is also the forest. Scan lowers the
// link of the element that a label points to, to the smallest label around the element. Analysis follows
// links to the root. As in the paper, Scan needs no atomic operation: if two threads lower a link at the same
// time, one update may be lost, and the next iteration finds it again.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace ole {
namespace {

template <Connectivity connectivity>
__global__ void scan(ImageRef<Label> labels, Label* changed) {
  const PixelThread at = PixelThread::of_this_thread(labels.extent);
  const Label own = label_at(labels, at);
  if (own == 0) return;

  const Label least = least_label_around<connectivity>(labels, at, own);
  if (least == own) return;
  Label* const link = labels.data + OneBased::unpack(own);
  if (least < SharedByThreads::load(link)) SharedByThreads::store(link, least);
  raise(changed);
}

// ---- host

template <Connectivity connectivity>
class Ole final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(buffers.image.extent);

    own_labels("Init", buffers, phase);
    changed_.repeat(phase, [&] {
      phase("Scan", scan<connectivity>, shape, buffers.labels, changed_.data());
      compress_labels("Analysis", buffers, phase);
    });
  }

  DeviceFlag changed_;
};

}  // namespace
}  // namespace ole

Variants ole_variants() {
  return variants<ole::Ole, Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c26>();
}

}  // namespace gpuccl::cuda
