#pragma once

#include <cstdint>
#include <vector>

#include "io/image/samples.hpp"
#include "io/write/contact_sheet.hpp"

// An image in gray, as pictures show it below labels.
namespace gpuccl::io {

/// Values that are black and white.
struct GrayRange {
  double black = 0, white = 1;
};

/// Returns a range that has all but the darkest and the brightest of a thousand values or, where these are
/// equal, all. NaN is left out, and of millions of values not all are looked at.
GrayRange gray_range(const std::vector<float>& all);

/// Draws the slices of `source` that a sheet shows into its RGB pixels. Around pages smaller than the others
/// there is a line. Pixels are the same whatever the number of threads: of each block of elements, two rows
/// are averaged.
void draw_gray(const SampleSource& source, std::int64_t memory, const ContactSheet& sheet,
               std::uint8_t* pixels);

}  // namespace gpuccl::io
