#pragma once

#include "cuda/phases/first_elements.cuh"
#include "cuda/phases/job.cuh"
#include "cuda/phases/statistics.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/device_labels.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/runtime/pinned_ring.hpp"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/staged.hpp"

namespace gpuccl::cuda {

/// Makes device `gpu` current for the calling thread. First base of a labeler, so that its buffers land
/// there.
class OnDevice {
 public:
  explicit OnDevice(int gpu) : gpu_(gpu) { use_device(); }

 protected:
  void use_device() const { check(cudaSetDevice(gpu_), "selecting the device"); }
  int gpu() const { return gpu_; }

 private:
  int gpu_;
};

/// Stream, buffers, copies, renumbering, statistics: all that GPU algorithms have in common. An algorithm is
/// its enqueue(): the phases that take job.image to provisional labels in job.labels, the index of a
/// component's first element + 1 for foreground and 0 for background.
class CudaLabeler : private OnDevice, public StagedLabeler {
 public:
  CudaLabeler(int gpu, Connectivity connectivity) : OnDevice(gpu), connectivity_(connectivity) {}

  Labeled label(BitView image) final;
  Labeled label_in_windows(BitView image, std::size_t window_bytes) final;
  void upload(BitView image) final;
  void allocate() final;
  void release() final;
  void run(Numbering numbering, PhaseTimes* times) final;
  void statistics(PhaseTimes* times) final;
  double device_ms(const std::function<void()>& work) final;
  void wait() final;
  LabelImage labels() final;
  Components components() final;
  std::uint64_t device_bytes() const final;

 protected:
  /// The kernels of enqueue() count their accesses at this place on the device.
  void count_accesses(Accesses* on_device) { counts_ = on_device; }

  virtual void enqueue(const Job& job, PhaseClock& phase) = 0;
  /// The same with labels 1..N, and what marks and counts components in `first`.
  virtual void enqueue_numbered(const Job& job, PhaseClock& phase, FirstElements& first);
  /// Room for what an algorithm keeps beside image and labels.
  virtual void reserve(const Job&) {}

 private:
  /// All but the labels, which stay on the device.
  Labeled label_on_device(BitView image);
  Label count();
  void clear_padding();

  Connectivity connectivity_;
  Stream stream_;
  PinnedRing ring_;
  Job job_;
  DeviceBuffer<Word> bits_;
  DeviceBuffer<Pixel> pixels_;
  DeviceBuffer<Label> labels_;
  FirstElements first_;
  Statistics statistics_;
  Accesses* counts_ = nullptr;
  std::shared_ptr<Downloads> downloads_;
  Numbering numbering_ = Numbering::provisional;
};

}  // namespace gpuccl::cuda
