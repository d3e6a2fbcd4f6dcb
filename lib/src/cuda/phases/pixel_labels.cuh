#pragma once

#include "cuda/phases/job.cuh"
#include "cuda/runtime/phase_clock.cuh"

// Phases that many algorithms have in common, under the name that the paper at hand gives them.
namespace gpuccl::cuda {

/// Every foreground element gets a label of its own, its index + 1; background gets 0.
void own_labels(const char* name, const Job& job, PhaseClock& phase);

/// Every foreground element is linked to its root.
void compress_labels(const char* name, const Job& job, PhaseClock& phase);

/// Compresses inline: updates links at every find step.
void compress_labels_inline(const char* name, const Job& job, PhaseClock& phase);

}  // namespace gpuccl::cuda
