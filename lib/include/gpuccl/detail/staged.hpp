#pragma once

#include <functional>
#include <vector>

#include "gpuccl/algorithms.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Returns the published GPU algorithms, instrumented to count memory accesses (PhaseTime::accesses).
/// Slower; the labels are the same.
const std::vector<Algorithm>& instrumented_algorithms();

/// Returns GPU algorithms with other thread-block sizes, one row per size. The labels are the same.
const std::vector<Algorithm>& block_configurations();

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

  /// Enqueues all that statistics() needs. Algorithms that can do without a label image write none. Requires
  /// no allocate(); labels() is empty afterwards.
  virtual void run_components() = 0;

  /// Enqueues the statistics of all components and the sums of gather(). Requires a run with
  /// consecutive labels, or of components. Waits once for their number.
  virtual void statistics(PhaseTimes* times) = 0;

  /// Returns the time of the work that `work` enqueues, in milliseconds on the device. Waits for it.
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

/// Bandwidth bound of labeling on a device: the time to read the input once and to write 4 bytes per
/// element once. Medians in milliseconds.
struct BandwidthBound {
  double from_bytes_ms = 0;  // input of 1 byte an element
  double from_bits_ms = 0;   // input of 1 bit an element
};

/// Measures the bound on device `gpu` with kernels that do nothing else. Input and labels must fit into
/// free memory. Throws Error (unavailable) without CUDA.
BandwidthBound measure_bandwidth_bound(int gpu, Extent extent, int repetitions);

}  // namespace gpuccl
#pragma GCC visibility pop
