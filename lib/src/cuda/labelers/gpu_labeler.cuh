#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/phases/run_starts.cuh"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/runtime/pinned_ring.hpp"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/device.hpp"

namespace gpuccl::cuda {

/// Base of all GPU labelers: owns the device, stream and labels; uploads and downloads. Algorithms implement
/// the protected functions, which are called with the device current. Functions that enqueue work are only
/// called for images that are not empty.
class GpuLabeler : public StagedLabeler {
 public:
  /// Requires device `gpu` to be current, as make_labeler() does.
  GpuLabeler(int gpu, Connectivity connectivity) : connectivity_(connectivity), gpu_(gpu) {}

  void time_phases(bool timed) final { timed_ = timed; }
  void gather(const SumsLayout& layout) final { layout_ = layout; }
  Labeling label(BitView image) final;
  void upload(BitView image) final;
  void allocate() final;
  void release() final;
  void run(Numbering numbering, PhaseTimes* times) final;
  void run_components() final;
  void statistics(PhaseTimes* times) final;
  double device_ms(const std::function<void()>& work) final;
  void wait() final;
  LabelImage labels() final;
  Components components() final;

  int gpu() const { return gpu_; }
  /// Does what DeviceLabeler::label() promises. Requires checked arguments, pitches above 0, the current
  /// device and an image that is not empty.
  void label_on_device(const DeviceImage& image, const DeviceLabels& labels, unsigned long long* count,
                       cudaStream_t stream);

 protected:
  /// Allocates everything except the labels. Returns the memory for the bits of the image, in rows of
  /// words_per_row().
  virtual Word64* reserve_image(Extent extent) = 0;
  /// Enqueues the conversion of the bits to other forms of the image that the algorithm reads.
  virtual void enqueue_unpacking(PhaseClock& phase) = 0;
  /// Enqueues the initialization of `labels` before the first run, if the algorithm needs it.
  virtual void enqueue_clearing(Label* /*labels*/, cudaStream_t) {}
  /// Enqueues the labeling. `labels`: output, with the same row length as the bits.
  virtual void enqueue_labeling(Numbering numbering, Label* labels, PhaseClock& phase) = 0;
  /// Returns the image on the device, in rows of words_per_row().
  virtual BitRows bits() const = 0;
  /// Enqueues the labeling with consecutive labels that enqueue_run_labels() needs. The default writes a
  /// label image, allocated by reserve_labels().
  virtual void enqueue_components(PhaseClock& phase);
  /// Enqueues one label per run, in the order of `starts`.
  virtual void enqueue_run_labels(CountedBits starts, Label* labels, PhaseClock& phase) = 0;
  /// Returns N of the last run with consecutive labels. Waits only until the device has counted them.
  virtual Label wait_for_count(const Stream& stream) = 0;
  /// Returns page-locked memory to which the device writes N.
  virtual const unsigned long long* count_on_host() = 0;
  /// Enqueues the statistics of `count` components from the labels of the last run.
  virtual void enqueue_statistics(Label count, const Label* labels, PhaseClock& phase) = 0;
  /// Returns true if enqueue_sums() is implemented. It enqueues, after statistics, the sums of components:
  /// `layout.words` each.
  virtual bool gathers_sums() const { return false; }
  virtual void enqueue_sums(const SumsLayout& /*layout*/, unsigned long long* /*sums*/, PhaseClock&) {}
  virtual Components download_components(PinnedRing& ring, const Stream& stream) = 0;
  /// Throws Error (internal) if these cannot be the components of `image`.
  virtual void check_components(const Components&, BitView /*image*/) const {}
  /// Returns the counters of instrumented kernels, otherwise null.
  virtual LaunchCounter* counter() { return nullptr; }

  const Connectivity connectivity_;

 private:
  std::size_t pitch() const { return static_cast<std::size_t>(words_per_row(extent_.width)) * 32; }
  std::size_t elements() const { return static_cast<std::size_t>(extent_.rows()) * pitch(); }
  Label* reserve_labels(cudaStream_t stream);
  /// Returns N of the last run; 0 if its labels are provisional.
  Label count();
  PhaseTimes* times_of(Labeling& labeled) const { return timed_ ? &labeled.phases : nullptr; }
  template <class Enqueue>
  void enqueue_phases(PhaseTimes* times, Enqueue enqueue);
  void add_components(Labeling& result, BitView image);
  bool has_sums() const { return layout_.words > 0 && gathers_sums(); }
  void add_sums(Label count, PhaseClock& phase);
  GatheredSums download_sums();
  std::unique_ptr<Label[]> download_run_labels(std::size_t runs);

  const int gpu_;
  bool timed_ = false;
  SumsLayout layout_;  // of requested sums
  Stream stream_;
  PinnedRing ring_;
  Event labeled_{Event::Purpose::waiting};
  RunStarts run_starts_;
  DeviceBuffer<Label> labels_, run_labels_;
  DeviceBuffer<unsigned long long> sums_;

  // Extent of the last uploaded image, and kind of its labels.
  Extent extent_;
  Numbering numbering_ = Numbering::provisional;
};

template <class Made, Connectivity connectivity>
std::unique_ptr<Labeler> make_labeler(int gpu) {
  const CurrentDevice current(gpu);
  return std::make_unique<Made>(gpu, connectivity);
}

/// Rows that an algorithm's file adds to the table.
using Variants = std::vector<Variant>;

template <class Made, Connectivity connectivity>
Variant variant() {
  return {connectivity, make_labeler<Made, connectivity>};
}

template <template <Connectivity> class Made, Connectivity... connectivities>
Variants variants() {
  return {variant<Made<connectivities>, connectivities>()...};
}

inline Variants joined(Variants some, const Variants& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

}  // namespace gpuccl::cuda
