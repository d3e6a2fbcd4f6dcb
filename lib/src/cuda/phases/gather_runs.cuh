#pragma once

#include "cuda/device/counted_bits.cuh"
#include "cuda/phases/job.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// One label for each run, in the order of `starts` (run_starts.cuh), from the label image of `job`: what an
/// algorithm that labels pixels leaves stays on the device, and a label a run goes to the host.
void gather_runs(const Job& job, Connectivity connectivity, CountedBits starts, Label* labels,
                 PhaseClock& phase);

}  // namespace gpuccl::cuda
