#pragma once

#include <cstdint>

#include "cuda/phases/job.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/device.hpp"

// Images and labels from one layout to another.
namespace gpuccl::cuda {

/// Packs the image, whose pitches are given, to bits: rows of `words_a_row` words that follow each other, as
/// many as hold the width or more, padded with zeros.
void pack(const DeviceImage& image, int words_a_row, std::uint32_t* bits, PhaseClock& phase);

/// Bits to bytes, which the papers' algorithms read. Padding included.
void unpack(BitRows bits, Pixel* pixels, PhaseClock& phase);

/// Labels in rows of `pitch` to the caller's, whose pitches are given.
void copy_labels(const Label* labels, std::int64_t pitch, Extent extent, const DeviceLabels& to,
                 PhaseClock& phase);

}  // namespace gpuccl::cuda
