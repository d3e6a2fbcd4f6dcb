// Label Equivalence (LE), 2D and 3D.
//
//   K. Hawick, A. Leist, D. Playne, "Parallel graph component labelling with GPUs and CUDA", Parallel
//   Computing 36, 2010, doi:10.1016/j.parco.2010.07.002 (the hypercubic mesh, Kernel D)
//
// In addition to labels, there is an array of references, one per label. Scan lowers the reference of an
// element's label to the smallest label around the element. Analysis follows the references of roots, the
// elements that still have their initial label, to the end. Labeling replaces each label by its reference.
// These phases repeat until nothing changes.

#include "cuda/device/pixel_forest.cuh"
#include "cuda/runtime/device_flag.hpp"
#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/pixel_labels.cuh"

namespace gpuccl::cuda {
namespace le {
namespace {

__global__ void init_references(ImageRef<const Pixel> image, Label* references) {
  const PixelThread at = PixelThread::of_this_thread(image.extent);
  if (is_foreground(image, at.x, at.y, at.z)) PixelForest{references}.make_set(image.index(at.x, at.y, at.z));
}

template <Connectivity connectivity>
__global__ void scan(ImageRef<Label> labels, Label* references, Label* changed) {
  const PixelThread at = PixelThread::of_this_thread(labels.extent);
  const Label own = label_at(labels, at);
  if (own == 0) return;

  const Label least = least_label_around<connectivity>(labels, at, own);
  if (least == own) return;
  SharedByThreads::fetch_min(references + OneBased::unpack(own), least);
  raise(changed);
}

__global__ void analysis(ImageRef<Label> labels, Label* references) {
  const PixelThread at = PixelThread::of_this_thread(labels.extent);
  const Index here = labels.index(at.x, at.y, at.z);
  if (label_at(labels, at) == OneBased::pack(here)) PixelForest{references}.compress(here);
}

__global__ void labeling(ImageRef<Label> labels, const Label* references) {
  const PixelThread at = PixelThread::of_this_thread(labels.extent);
  const Label own = label_at(labels, at);
  if (own == 0) return;

  const Label reference = SharedByThreads::load(references + OneBased::unpack(own));
  if (reference != own) SharedByThreads::store(&labels(at.x, at.y, at.z), reference);
}

// ---- host

template <Connectivity connectivity>
class Le final : public PixelLabeler {
  using PixelLabeler::PixelLabeler;

  void reserve(const LabelingBuffers& buffers) override {
    references_.reserve(static_cast<std::size_t>(buffers.bits.count()) * 64, "allocating references");
  }

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const LaunchShape shape = PixelThread::Grid::shape(buffers.image.extent);
    Label* const references = references_.data();

    own_labels("Init", buffers, phase);
    phase("Init", init_references, shape, buffers.image, references);
    changed_.repeat(phase, [&] {
      phase("Scan", scan<connectivity>, shape, buffers.labels, references, changed_.data());
      phase("Analysis", analysis, shape, buffers.labels, references);
      phase("Labeling", labeling, shape, buffers.labels, references);
    });
  }

  DeviceBuffer<Label> references_;
  DeviceFlag changed_;
};

}  // namespace
}  // namespace le

Variants le_variants() {
  return variants<le::Le, Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c26>();
}

}  // namespace gpuccl::cuda
