#pragma once

#include <cstdint>

#include "cuda/device/bit_rows.cuh"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/device.hpp"

// Conversion of images and labels between layouts.
namespace gpuccl::cuda {

/// Packs the image to bits, in consecutive rows of `words_a_row` words, at least as many as the width
/// requires, padded with zeros. Pitches of the image must be set.
void pack(const DeviceImage& image, int words_a_row, std::uint32_t* bits, PhaseClock& phase);

/// Expands bits to bytes, which the papers' algorithms read, including the padding.
void unpack(BitRows bits, Pixel* pixels, PhaseClock& phase);

/// Copies labels from rows of `pitch` labels to the caller's memory, whose pitches must be set.
void copy_labels(const Label* labels, std::int64_t pitch, Extent extent, const DeviceLabels& to,
                 PhaseClock& phase);

}  // namespace gpuccl::cuda
