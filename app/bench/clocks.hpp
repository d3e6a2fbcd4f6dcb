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
  std::vector<std::string> limited_by;  // what keeps it below its maximum: "power", "temperature"
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

/// A warning if the clock moved by more than a twentieth or was limited; "" if it did not.
std::string clock_warning(DeviceKind device, const Clocks& clocks);

/// Reads the clock of the CPU, of its fastest core; none if the system does not tell.
std::optional<ClockReading> cpu_clock();

}  // namespace gpuccl::bench
