#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "app/bench/plan.hpp"
#include "app/bench/timing.hpp"
#include "app/common/messages.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::bench {

/// Kind of bandwidth bound: the time to read an input once and to write 4 bytes per pixel once.
struct FloorKind {
  DeviceKind device = DeviceKind::cpu;
  int bits_per_element = 1;  // of the input: packed bits, or bytes as the papers' algorithms read

  std::string name() const;  // "host-bits", "gpu-bytes", "gpu-bits"
  friend auto operator<=>(const FloorKind&, const FloorKind&) = default;
};

/// Measures the floor of the CPU: reads every word of bits once and fills every row of labels with memset, in
/// parallel. Returns the median of `repetitions`, after one that is not counted.
double host_stream_floor_ms(Extent extent, int repetitions);

/// Measures each floor when it is first asked for.
class Floors {
 public:
  Floors(int gpu, int repetitions) : gpu_(gpu), repetitions_(repetitions) {}

  /// Returns the floor. With several copies, it is that of all copies as one volume, divided by their number,
  /// so that caches do not help.
  double milliseconds(FloorKind kind, Extent extent, int copies);

 private:
  BandwidthBound measured(DeviceKind device, Extent extent) const;

  int gpu_;
  int repetitions_;
  std::map<std::tuple<DeviceKind, int, int, int>, BandwidthBound> known_;
};

/// An algorithm at one connectivity that is being measured.
class TimedLabeler {
 public:
  virtual ~TimedLabeler() = default;

  /// Labels an image, with statistics. The result is checked before anything is timed.
  virtual Labeling label(BitView image) = 0;
  /// Returns the floor that its times are compared with.
  virtual FloorKind floor() const = 0;

  /// Times totals, preallocated and allocated as in `timing`, and the steps that they leave out; with
  /// `end_to_end` also the time from an image to labels in host memory.
  virtual void time_totals(BitView image, const TimingOptions& timing, bool end_to_end, Samples& samples) = 0;
  /// Times labeling from an image to provisional labels in host memory, including allocation and release:
  /// labels as an image, and as one per run; and the transfers.
  virtual void time_host_to_host(BitView image, const TimingOptions& timing, Samples& samples) = 0;
  /// Returns only the components, computed as in time_components().
  virtual Components components(BitView image) = 0;
  /// Times components and their statistics, without a label image if the algorithm needs none.
  virtual void time_components(BitView image, const TimingOptions& timing, Samples& samples) = 0;
  /// Times each phase separately.
  virtual void time_steps(BitView image, const TimingOptions& timing, Samples& samples) = 0;
};

/// Returns a timer: a GPU labeler is timed by its stages, any other by the wall clock.
std::unique_ptr<TimedLabeler> make_timed_labeler(const Variant& variant, int gpu);
std::unique_ptr<TimedLabeler> make_timed_host_labeler(const Variant& variant,
                                                      std::unique_ptr<Labeler> labeler);
std::unique_ptr<TimedLabeler> make_timed_staged_labeler(const Variant& variant, int gpu);

/// Calls `once(repetition, counts)` for warming up (`counts` is false) and then for repetitions. There is at
/// least one repetition, even beyond the time limit.
template <class Once>
void repeat(const TimingOptions& timing, Once once) {
  const app::Stopwatch stopwatch;
  const auto out_of_time = [&] { return stopwatch.milliseconds() > 1000 * timing.limit_s || timing.stop(); };
  int repetition = 0;
  for (; repetition < timing.warm_up && !out_of_time(); ++repetition) once(repetition, false);
  const int end = repetition + timing.repetitions;
  do {
    once(repetition, true);
  } while (++repetition < end && !out_of_time());
}

/// Returns the number of copies of input and output that repetitions cycle through, so that caches are cold;
/// 1 without TimingOptions::rotate.
int copies(const TimingOptions& timing, Extent extent);

}  // namespace gpuccl::bench
