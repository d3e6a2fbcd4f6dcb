#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/device/counted_bits.cuh"
#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/phases/job.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// Starts of the runs of bundles (common/shape.hpp), as a bitmap of all bundles in order. The number of a
/// run is the rank of its bit among those that are set: the host has its labels in this order
/// (cpu::RunLabels).
class RunStarts {
 public:
  /// Room for any image like `bits`.
  void reserve(const BitRows& bits, Connectivity connectivity);
  /// The most runs such an image can have, foreground in the padding of its rows included.
  std::uint64_t most() const { return words_ * 32; }

  /// Two phases: MarkRuns, CountRuns.
  void find(const BitRows& bits, Connectivity connectivity, PhaseClock& phase);
  CountedBits counted() const { return starts_.bitmap().counted(); }
  /// Number of runs. Waits no longer than for the device to have counted.
  unsigned long long total(const Stream& stream) const { return starts_.total(stream); }

 private:
  std::uint64_t words_ = 0;  // of 64 bits
  BitmapMemory starts_;
};

/// One label for each run, in the order of `starts` (run_starts.cuh), from the label image of `job`: what an
/// algorithm that labels pixels leaves stays on the device, and a label a run goes to the host.
void gather_runs(const Job& job, Connectivity connectivity, CountedBits starts, Label* labels,
                 PhaseClock& phase);

}  // namespace gpuccl::cuda
