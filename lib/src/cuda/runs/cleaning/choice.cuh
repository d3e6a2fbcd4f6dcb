#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/runtime/arena.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/device.hpp"

// The part of clean_on_device() that does not depend on the labeling: which components are kept, and the
// image that receives their elements.
namespace gpuccl::cuda::runs {

/// Conditions under which components are kept, and what is known of them. Arrays have an entry or a bit for
/// each of the *count components.
struct Choice {
  std::uint32_t min_size = 0, max_size = ~0u;
  std::uint32_t largest = 0;  // number of components; 0: all
  bool needs_seeds = false, clears_border = false;

  // Memory; null where it is not needed.
  std::size_t capacity = 0;  // at least *count
  const unsigned long long* count = nullptr;
  std::uint32_t *areas = nullptr, *at_border = nullptr, *seeded = nullptr, *kept = nullptr;
  unsigned long long* ranking = nullptr;

  void take_from(Arena& arena, std::size_t components) {
    const std::size_t words = components / 32 + 1;
    capacity = components;
    if (min_size > 0 || max_size < ~0u || largest > 0) areas = arena.take<std::uint32_t>(components);
    if (clears_border) at_border = arena.take<std::uint32_t>(words);
    if (needs_seeds) seeded = arena.take<std::uint32_t>(words);
    if (largest > 0) ranking = arena.take<unsigned long long>(kRanking);
    kept = arena.take<std::uint32_t>(words);
  }
  static constexpr std::size_t kRanking = 256 + 3;
};

/// Enqueues clearing of areas and bits.
void clear(const Choice& choice, PhaseClock& phase);

/// Enqueues the choice. Of components of equal size, the first ones rank as larger.
void choose(const Choice& choice, PhaseClock& phase);

/// Enqueues the complement of bits, in rows of `words_a_row` words for `width` elements.
void invert(std::uint32_t* bits, std::int64_t words, int words_a_row, int width, PhaseClock& phase);

/// Enqueues writing of elements: those of `from` where bits are set, otherwise 0. Elements that are 0 where
/// bits are set, and without `from` all of these, become `filled`.
void draw(const std::uint32_t* bits, int words_a_row, const DeviceValueImage& from, std::uint64_t filled,
          const DeviceValueImage& to, PhaseClock& phase);

}  // namespace gpuccl::cuda::runs
