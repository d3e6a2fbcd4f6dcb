#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/device/counted_bits.cuh"
#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// Starts of the runs of bundles (common/shape.hpp), as a bitmap of all bundles in order. The index of a run
/// is the rank of its bit among the set bits; the host stores run labels in this order (cpu::RunLabels).
class RunStarts {
 public:
  /// Allocates memory for any image of the extent and pitch of `bits`.
  void reserve(const BitRows& bits, Connectivity connectivity);
  /// Returns the maximum number of runs, including foreground in row padding.
  std::uint64_t most() const { return words_ * 32; }

  /// Enqueues two phases: MarkRuns and CountRuns.
  void find(const BitRows& bits, Connectivity connectivity, PhaseClock& phase);
  CountedBits counted() const { return starts_.bitmap().counted(); }
  /// Returns the number of runs. Waits only until the device has counted them.
  unsigned long long total(const Stream& stream) const { return starts_.total(stream); }

 private:
  std::uint64_t words_ = 0;  // 64-bit words
  BitmapMemory starts_;
};

/// Gathers one label per run from the label image of `buffers`, in the order of `starts`. The label image of
/// an algorithm on pixels stays on the device, and one label per run is downloaded.
void gather_runs(const LabelingBuffers& buffers, Connectivity connectivity, CountedBits starts, Label* labels,
                 PhaseClock& phase);

}  // namespace gpuccl::cuda
