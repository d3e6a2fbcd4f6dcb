#pragma once

#include <memory>
#include <optional>

#include "app/bench/clocks.hpp"
#include "app/bench/environment.hpp"

namespace gpuccl::bench {

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
