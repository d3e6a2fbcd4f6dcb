#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/timing.hpp"

namespace gpuccl::bench {

/// The machine and the software of a measurement: name and value, in the order in which a report shows them.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Processor, threads, memory, system, compiler and the time. With `gpu` also the GPU, driver and CUDA, for
/// which the driver is started.
Environment environment(bool with_gpu, int gpu);

/// Cycles that the cores of a device have in a millisecond: all of a GPU, one of the CPU, whose published
/// algorithms use one thread. 0 where the clock is not known.
struct Cycles {
  double gpu = 0;
  double cpu = 0;
};
Cycles cycles_a_ms(bool with_gpu, int gpu);

/// The state of a GPU as the driver's management library (NVML) reports it; the library is loaded if it is
/// there.
class GpuState {
 public:
  /// `gpu` is a CUDA device that has been started.
  explicit GpuState(int gpu);
  ~GpuState();
  GpuState(const GpuState&) = delete;
  GpuState& operator=(const GpuState&) = delete;

  /// Driver, power state and limit, ECC, clocks and temperature; entries that it does not know are left out.
  Environment entries() const;
  /// The clock of the multiprocessors; none if it is not known.
  std::optional<ClockReading> clock() const;

 private:
  class Library;
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;  // null: not there
};

}  // namespace gpuccl::bench
