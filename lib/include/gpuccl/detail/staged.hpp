#pragma once

#include <functional>

#include "gpuccl/algorithms.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Labels that a run leaves.
enum class Numbering {
  provisional,  // as in the paper: any value, one per component
  consecutive,  // 1..N in raster order, as gpuccl returns them
};

/// A labeler on a device, divided into the stages that benchmarks time. Every CUDA labeler is one
/// (dynamic_cast). The label image stays on the device.
///
/// upload -> allocate -> run -> statistics -> labels, components
///
/// run() and statistics() only enqueue work; they wait only if phases are timed. Not thread-safe.
class StagedLabeler : public Labeler {
 public:
  /// Uploads an image in every form the algorithm reads, and allocates all buffers except the output.
  virtual void upload(BitView image) = 0;

  /// Allocates the labels of the uploaded image, which run() requires; release() frees them.
  virtual void allocate() = 0;
  virtual void release() = 0;

  /// Enqueues the labeling. With `times`, times each phase and waits for it.
  virtual void run(Numbering numbering, PhaseTimes* times) = 0;

  /// Enqueues all that statistics() needs and no more: an algorithm that can makes no label image. Needs no
  /// allocate(); labels() has nothing afterwards.
  virtual void run_components() = 0;

  /// Enqueues the statistics of all components and the sums of gather(). Requires a run with
  /// consecutive labels, or of components. Waits once for their number.
  virtual void statistics(PhaseTimes* times) = 0;

  /// Returns the milliseconds on the device of what `work` enqueues. Waits for it.
  virtual double device_ms(const std::function<void()>& work) = 0;

  /// Waits for all enqueued work.
  virtual void wait() = 0;

  /// Returns the labels of the last run, with a count of 0 if they are provisional.
  virtual LabelImage labels() = 0;
  /// Returns the statistics of the last run.
  virtual Components components() = 0;

  /// Returns the bits per element of the input, for the bandwidth bound: 8 (published algorithms) or
  /// 1.
  virtual int bits_per_element() const { return 8; }
};

}  // namespace gpuccl
#pragma GCC visibility pop
