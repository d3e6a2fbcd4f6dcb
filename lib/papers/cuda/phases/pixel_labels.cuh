#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/runtime/phase_clock.cuh"

// Phases that many algorithms share. `name`: that of the phase in the paper.
namespace gpuccl::cuda {

/// Writes to each foreground element a label of its own, its index + 1, and 0 to the background.
void own_labels(const char* name, const LabelingBuffers& buffers, PhaseClock& phase);

/// Links each foreground element to its root.
void compress_labels(const char* name, const LabelingBuffers& buffers, PhaseClock& phase);

/// Compresses inline: relinks an element at every find step.
void compress_labels_inline(const char* name, const LabelingBuffers& buffers, PhaseClock& phase);

}  // namespace gpuccl::cuda
