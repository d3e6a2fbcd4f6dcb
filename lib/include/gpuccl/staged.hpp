#pragma once

#include "gpuccl/algorithms.hpp"

namespace gpuccl {

/// A GPU labeler cut where a benchmark cuts it. All CUDA rows of the table make one (dynamic_cast from Labeler).
///
/// upload, then allocate, then any number of (run, renumber, statistics), then download and release. Every step
/// waits for the device and returns milliseconds between two events on its stream (allocate and release: wall
/// clock). With `times`, phases are timed one by one, which costs some time: never report their sum as the total.
class StagedLabeler : public Labeler {
 public:
  /// Brings the image to the device in the form the algorithm reads: bytes for the papers' algorithms (the time of
  /// the unpacking kernel is returned), packed bits for `runs` (0).
  virtual double upload(BitView image) = 0;
  /// The label image, 4 bytes an element, row padding possible.
  virtual double allocate() = 0;
  virtual double release() = 0;

  /// The algorithm itself: provisional labels. `runs` gives final ones and returns 0 from renumber().
  virtual double run(PhaseTimes* times) = 0;
  virtual double renumber(PhaseTimes* times) = 0;
  virtual double statistics(PhaseTimes* times) = 0;

  /// Labels and components, if statistics() was called, to the host. Ends the stages: start again with upload.
  virtual Labeled download() = 0;
};

/// The physical floor of this card: a kernel that reads the input once (`bits_per_element` 1 or 8) and writes 4
/// bytes an element once, nothing else. Median of `repetitions` in milliseconds. Throws Error without a GPU.
double stream_floor_ms(int gpu, Extent extent, int bits_per_element, int repetitions);

}  // namespace gpuccl
