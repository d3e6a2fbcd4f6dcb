#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "app/bench/plan.hpp"
#include "app/bench/timing.hpp"
#include "app/common/stopwatch.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/floor.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::bench {

/// Time of a memory system to read an input once and to write 4 bytes per pixel once: the bandwidth bound.
struct FloorKind {
  DeviceKind device = DeviceKind::cpu;
  int bits_per_element = 1;  // of the input: packed bits, or bytes as the papers' algorithms read

  std::string name() const;  // "host-bits", "gpu-bytes", "gpu-bits"
  friend auto operator<=>(const FloorKind&, const FloorKind&) = default;
};

/// The floor of the processors: every word of bits is read once and every row of labels filled by memset, in
/// parallel. Median of `repetitions`, after one that is not counted.
double host_stream_floor_ms(Extent extent, int repetitions);

/// Measures each floor when it is first asked for.
class Floors {
 public:
  Floors(int gpu, int repetitions) : gpu_(gpu), repetitions_(repetitions) {}

  /// With more than one copy, the floor of all copies as one volume, divided: what a cache holds does not
  /// help.
  double milliseconds(FloorKind kind, Extent extent, int copies);

 private:
  StreamFloor measured(DeviceKind device, Extent extent) const;

  int gpu_;
  int repetitions_;
  std::map<std::tuple<DeviceKind, int, int, int>, StreamFloor> known_;
};

/// An algorithm at one connectivity that is being measured.
class TimedLabeler {
 public:
  virtual ~TimedLabeler() = default;

  /// From image to final labels and statistics: what is checked before anything is timed.
  virtual Labeled label(BitView image) = 0;
  /// The floor that its times are compared with.
  virtual FloorKind floor() const = 0;

  /// Totals, preallocated and allocated as `timing` says, and what they leave out; with `end_to_end` also the
  /// time from an image to labels in host memory.
  virtual void time_totals(BitView image, const TimingOptions& timing, bool end_to_end, Samples& samples) = 0;
  /// From an image to provisional labels in host memory, what is needed for it allocated each time and given
  /// back: labels as an image, and as one for each run; and the transfers.
  virtual void time_host_to_host(BitView image, const TimingOptions& timing, Samples& samples) = 0;
  /// The components alone, by what time_components() times.
  virtual Components components(BitView image) = 0;
  /// Components and their statistics, without a label image where the algorithm needs none.
  virtual void time_components(BitView image, const TimingOptions& timing, Samples& samples) = 0;
  /// Each phase on its own.
  virtual void time_steps(BitView image, const TimingOptions& timing, Samples& samples) = 0;
};

/// Times a GPU labeler through its stages, any other by the wall clock.
std::unique_ptr<TimedLabeler> make_timed_labeler(const Variant& variant, int gpu);
std::unique_ptr<TimedLabeler> make_timed_host_labeler(const Variant& variant,
                                                      std::unique_ptr<Labeler> labeler);
std::unique_ptr<TimedLabeler> make_timed_staged_labeler(const Variant& variant, int gpu);

/// Calls `once(repetition, counts)` for the labelings that warm up and then for those that count, of which
/// there is at least one however long they take.
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
