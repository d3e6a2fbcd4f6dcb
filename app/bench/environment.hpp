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

/// Returns processor, threads, memory, system, compiler and the time. With `with_gpu` also the GPU, driver
/// and CUDA, which starts the driver.
Environment environment(bool with_gpu, int gpu);

/// Cycles per millisecond: of all cores of a GPU, and of one CPU core, because the published CPU algorithms
/// use one thread. 0 if the clock is not known.
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

  /// Returns driver, power state and limit, ECC, clocks and temperature, as far as the library reports them.
  Environment entries() const;
  /// Returns the clock of the multiprocessors; none if it is not known.
  std::optional<ClockReading> clock() const;

 private:
  class Library;
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;  // null without the library
};

}  // namespace gpuccl::bench
