#pragma once

#include "cuda/runs/core/words.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/device.hpp"

namespace gpuccl::cuda::runs {

/// Enqueues the image, whose pitches are given, as words of bits: rows of `words_a_row` words that follow
/// each other, as many as hold the width, padded with zeros.
void pack(const DeviceImage& image, int words_a_row, Word* bits, PhaseClock& phase);

}  // namespace gpuccl::cuda::runs
