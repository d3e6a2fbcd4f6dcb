#pragma once

#include "cuda/phases/job.cuh"
#include "cuda/runtime/phase_clock.cuh"

namespace gpuccl::cuda {

/// Bits to bytes, which the papers' algorithms read. Padding included.
void unpack(BitRows bits, Pixel* pixels, PhaseClock& phase);

}  // namespace gpuccl::cuda
