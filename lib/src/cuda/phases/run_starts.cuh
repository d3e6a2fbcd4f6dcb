#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/phases/counted_bitmap.cuh"
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

}  // namespace gpuccl::cuda
