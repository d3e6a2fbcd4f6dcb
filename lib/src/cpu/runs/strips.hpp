#pragma once

#ifdef __SANITIZE_THREAD__
#include <thread>
#else
#include <tbb/parallel_for.h>
#endif

#include <cstdint>
#include <vector>

#include "common/fastest_code.hpp"
#include "cpu/runs/bundles.hpp"

namespace gpuccl::cpu {

/// Consecutive bundles, in complete groups, that one task processes.
struct Strip {
  std::int64_t begin, end;
};

/// Returns about `wanted` strips of equal height, 0 for a number derived from the threads and the image size.
std::vector<Strip> cut_into_strips(const Bundles& bundles, int wanted);

/// Calls task(i) for the index i of each strip, with one thread per strip.
template <class Task>
void for_each_strip(const std::vector<Strip>& strips, Task task) {
  const auto call = [&](std::size_t i) { by_fastest_code([&] { task(i); }); };
#ifdef __SANITIZE_THREAD__
  // The sanitizer does not see the order that oneTBB guarantees, because oneTBB is not instrumented.
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < strips.size(); ++i) threads.emplace_back(call, i);
#else
  tbb::parallel_for(std::size_t{0}, strips.size(), call);
#endif
}

}  // namespace gpuccl::cpu
