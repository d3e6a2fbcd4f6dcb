#pragma once

#include <cstdint>
#include <functional>

#include "cuda_types.hpp"

// How the emulation runs one launch. Device functions that wait or exchange values call in here.
namespace emulation {

/// Runs `thread` for every thread of every thread block of the grid.
void run_grid(dim3 grid, dim3 block, const std::function<void()>& thread);

/// All threads of the thread block meet. It is an error if one of them has ended.
void meet_block();

/// Lanes of the warp that meet and show each other a value.
struct Meeting {
  std::uint64_t values[32];
};
/// The lanes of `mask`, which must hold the caller, meet at the call of the same `name`. What comes back is
/// valid until the caller's next meeting.
const Meeting& meet_warp(unsigned mask, const char* name, std::uint64_t value);

unsigned lane();

/// Lets another thread of the block go on, now and then.
void maybe_switch();

}  // namespace emulation
