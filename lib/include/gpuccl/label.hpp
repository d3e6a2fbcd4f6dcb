#pragma once

#include "gpuccl/bit_volume.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"

// Labeling in one call.
namespace gpuccl {

/// The labels of an image and its components. Owns all that it shows.
struct LabeledImage {
  LabelImage labels;
  Components components;
};

/// Labels the components of an image in memory: 1..N in raster order (z, y, x) of each component's first
/// element. All threads of the CPU work, by the algorithm `runs`. Calls from several threads may overlap. An
/// Engine also chooses algorithms and GPUs. Error (usage) if the image is not as BitView says.
LabeledImage label(BitView image, Connectivity connectivity);

/// The same into the caller's array, which has room for extent.elements() labels without padding.
Components label(BitView image, Connectivity connectivity, Label* labels);

/// Writes all rows of `source` by all threads, as LabelSource::render() does. `out` has room for all
/// elements.
void render_all(const LabelSource& source, LabelsOut out, const Label* map = nullptr);

}  // namespace gpuccl
