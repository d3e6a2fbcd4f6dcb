#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::bench {

/// The clock of a device at one time.
struct ClockReading {
  double mhz = 0;
  std::vector<std::string> limited_by;  // reasons to be below the maximum: "power", "temperature"
};

/// Reads the clock of a device; none if it is not known.
using ReadClock = std::function<std::optional<ClockReading>(DeviceKind)>;

/// The clock of a device during a run: read after every algorithm and image that was timed.
struct Clocks {
  double lowest_mhz = 0;
  double highest_mhz = 0;
  int readings = 0;
  std::vector<std::string> limited_by;  // each once

  void add(const ClockReading& reading);
};

/// Returns a warning if the clock changed by more than a twentieth or was limited; else "".
std::string clock_warning(DeviceKind device, const Clocks& clocks);

/// Returns the clock of the fastest CPU core; none if the system does not report it.
std::optional<ClockReading> cpu_clock();

/// Statistics of the repetitions of one step: median, the 5 % and 95 % quantiles, and the extremes and mean
/// that papers report.
struct Timing {
  double median_ms = 0;
  double low_ms = 0;   // 5 %
  double high_ms = 0;  // 95 %
  double min_ms = 0;
  double max_ms = 0;
  double mean_ms = 0;
};

/// The fields of a Timing and their names in reports.
struct TimingField {
  const char* name;
  double Timing::*value;
};
inline constexpr TimingField kTimingFields[] = {
    {"median_ms", &Timing::median_ms}, {"low_ms", &Timing::low_ms}, {"high_ms", &Timing::high_ms},
    {"min_ms", &Timing::min_ms},       {"max_ms", &Timing::max_ms}, {"mean_ms", &Timing::mean_ms},
};

/// Returns the value below which a fraction `q` (0 to 1) of the samples lies, interpolated linearly. Requires
/// at least one sample.
double quantile(std::vector<double> samples, double q);

Timing summarize(const std::vector<double>& samples);

/// One step of an algorithm: its timing and the launches of its kernel per repetition, averaged over images,
/// and the number of repetitions, the fewest of an image.
struct Measure {
  std::string name;
  Timing timing;
  double launches = 1;
  double repetitions = 1;  // without warming up
};

/// Collects repetitions of named steps on one image.
class Samples {
 public:
  void add(const std::string& name, double milliseconds, int launches = 1);

  /// Returns one measure per name, in the order of their first occurrence.
  std::vector<Measure> summary() const;

 private:
  struct Step {
    std::string name;
    std::vector<double> milliseconds;
    double launches = 0;  // of all repetitions
  };
  std::vector<Step> steps_;
};

/// Averages of summaries over the images of a set: medians with medians, quantiles with quantiles. A step
/// that an image lacks counts as 0 for that image.
class ImageAverage {
 public:
  void add(const std::vector<Measure>& of_one_image);
  int images() const { return images_; }
  std::vector<Measure> mean() const;

 private:
  std::vector<Measure> sums_;
  int images_ = 0;
};

/// Returns the measure of this name; null if there is none.
const Measure* find_measure(const std::vector<Measure>& measures, const std::string& name);

}  // namespace gpuccl::bench
