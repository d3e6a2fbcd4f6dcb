#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/labelers/gpu_labeler.cuh"
#include "cuda/phases/statistics.cuh"
#include "papers/cuda/phases/canonical_numbering.cuh"

namespace gpuccl::cuda {

/// Base of the papers' algorithms, which read one byte per element: unpacking, renumbering, statistics. An
/// algorithm implements enqueue(): the phases from buffers.image to provisional labels in buffers.labels. A
/// foreground label is 1 plus the index of its component's first element; background is 0.
class PixelLabeler : public GpuLabeler {
 public:
  using GpuLabeler::GpuLabeler;

 protected:
  virtual void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) = 0;
  /// Enqueues the labeling with labels 1..N, and marks and counts components in `first`.
  virtual void enqueue_numbered(const LabelingBuffers& buffers, PhaseClock& phase, FirstElements& first);
  /// Allocates memory of the algorithm in addition to image and labels.
  virtual void reserve(const LabelingBuffers&) {}

 private:
  Word64* reserve_image(Extent extent) final;
  void enqueue_unpacking(PhaseClock& phase) final;
  void enqueue_clearing(Label* labels, cudaStream_t stream) final;
  void enqueue_labeling(Numbering numbering, Label* labels, PhaseClock& phase) final;
  BitRows bits() const final { return buffers_.bits; }
  void enqueue_run_labels(CountedBits starts, Label* labels, PhaseClock& phase) final;
  Label wait_for_count(const Stream& stream) final;
  const unsigned long long* count_on_host() final { return first_.count_on_host(); }
  void enqueue_statistics(Label count, const Label* labels, PhaseClock& phase) final;
  Components download_components(PinnedRing& ring, const Stream& stream) final;
  void check_components(const Components& components, BitView image) const final;

  LabelingBuffers buffers_;
  DeviceBuffer<Word64> bits_;
  DeviceBuffer<Pixel> pixels_;
  FirstElements first_;
  Statistics statistics_;
};

}  // namespace gpuccl::cuda
