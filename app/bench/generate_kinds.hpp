#pragma once

#include <cstdint>
#include <random>

#include "app/bench/generate.hpp"

// One function a kind; each draws into an image that is all background. Nothing here depends on how a
// standard library draws from a distribution or rounds: integers from MT19937 only.
namespace gpuccl::generators {

void random(const GenerateOptions& options, BitVolume& image);
void checkerboard(const GenerateOptions& options, BitVolume& image);
void dots(const GenerateOptions& options, BitVolume& image);
void comb(const GenerateOptions& options, BitVolume& image);
void spiral(const GenerateOptions& options, BitVolume& image);
void blobs(const GenerateOptions& options, BitVolume& image);
void hilbert(const GenerateOptions& options, BitVolume& image);
void page(const GenerateOptions& options, BitVolume& image);

/// `share` (0 to 1) of the range of a 32-bit draw: a draw is smaller with that probability.
inline std::uint64_t share_of_draws(double share) { return static_cast<std::uint64_t>(share * 4294967296.0); }

/// An integer in [0, count).
inline int below(std::mt19937& draw, int count) {
  return static_cast<int>(std::uint64_t{draw()} * static_cast<std::uint64_t>(count) >> 32);
}

/// Sets every second element of [0, width), beginning with `first`.
void fill_every_second(std::uint32_t* row, int first, int width);

}  // namespace gpuccl::generators
