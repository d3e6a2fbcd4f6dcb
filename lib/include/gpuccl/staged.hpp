#pragma once

#include <functional>

#include "gpuccl/algorithms.hpp"

namespace gpuccl {

/// What the labels of a run shall be.
enum class Numbering {
  provisional,  // as the paper leaves them: one value a component, any value
  consecutive,  // 1..N in raster order, as gpuccl returns them
};

/// A labeler on a device cut where a benchmark cuts it, which leaves a label image there. Every CUDA labeler
/// is one (dynamic_cast); its label() makes no label image on the host, it brings down a label for each run.
///
///     upload -> allocate -> run -> statistics -> labels, components
///
/// run() and statistics() only enqueue work on buffers that are there; nothing waits unless phases are timed.
class StagedLabeler : public Labeler {
 public:
  /// Brings an image to the device in every form the algorithm reads, and makes room for all but its output.
  virtual void upload(BitView image) = 0;

  /// Makes room for the labels of the uploaded image; release() gives it back. run() needs it.
  virtual void allocate() = 0;
  virtual void release() = 0;

  /// Enqueues the labeling. With `times`, measures its phases one by one and waits for them.
  virtual void run(Numbering numbering, PhaseTimes* times) = 0;

  /// After a run with consecutive numbers: enqueues the statistics of all components, and the sums that
  /// gather() asked for. Waits once for their count.
  virtual void statistics(PhaseTimes* times) = 0;

  /// Milliseconds on the device between the beginning and the end of what `work` enqueues. Waits for it.
  virtual double device_ms(const std::function<void()>& work) = 0;

  /// Waits for everything that was enqueued.
  virtual void wait() = 0;

  /// Labels as the last run left them, whose count is 0 when they are provisional, and its statistics.
  virtual LabelImage labels() = 0;
  virtual Components components() = 0;

  /// How the algorithm reads the image, for its floor: 8 (a byte an element, as the papers' do) or 1.
  virtual int bits_per_element() const { return 8; }
};

}  // namespace gpuccl
