#pragma once

#include "gpuccl/bit_volume.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

// Labeling in one call.
namespace gpuccl {

/// Labels and components of an image. Owns its memory.
struct LabeledImage {
  LabelImage labels;
  Components components;
};

/// Labels an image in memory on the CPU with the algorithm `runs`, using all threads. Labels are 1..N
/// in raster order (z, y, x) of each component's first element. Use Engine to select algorithms and
/// GPUs.
/// Thread-safe. Time: O(elements / 64 + runs). Throws Error: usage if the image violates BitView;
/// memory.
LabeledImage label(BitView image, Connectivity connectivity);

/// Labels into the caller's array of extent.elements() labels, without padding. Otherwise as label()
/// above.
Components label(BitView image, Connectivity connectivity, Label* labels);

/// Writes all rows of `source` to `out`, which has room for all elements, using all threads. `map` as
/// in LabelSource::render().
void render_all(const LabelSource& source, LabelsOut out, const Label* map = nullptr);

}  // namespace gpuccl
