#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/runtime/phase_clock.cuh"

namespace gpuccl::cuda {

/// Entries that `chunks` of prefix_count() must have room for.
std::uint64_t prefix_count_chunks(std::uint64_t words);

/// before[i] = set bits in words 0..i-1, total = set bits of all. There are fewer than 2^32.
void prefix_count(const Word64* bits, std::uint64_t words, unsigned* before, unsigned* chunks,
                  unsigned* total, PhaseClock& phase);

}  // namespace gpuccl::cuda
