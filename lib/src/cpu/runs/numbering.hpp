#pragma once

#ifdef __SANITIZE_THREAD__
#include <thread>
#else
#include <tbb/parallel_for.h>
#endif

#include <cstdint>
#include <memory>
#include <vector>

#include "common/fastest_code.hpp"
#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/run_labels.hpp"
#include "gpuccl/labels.hpp"

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

/// Returns the number of runs before each bundle, and the total at the end. Throws Error (data) if there are
/// more than 2^32 - 1.
std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips);

/// Labels of components, 1 to N in raster order of their first elements.
struct Numbering {
  std::unique_ptr<Label[]> label_of_run;
  std::vector<Label> labels_before;  // per strip; N at the end
};

/// Numbers the components. `links`: the forest of all runs.
Numbering number_components(const Bundles& bundles, const std::vector<Strip>& strips,
                            const std::vector<Index>& runs_before, std::unique_ptr<Label[]> links);

/// Returns area, bounding box and sums of coordinates of each component, from its runs. `labels_before`: as
/// in Numbering. Instantiated for RunLabels and ValueLabels.
template <class Labels>
Components measure(const Labels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before);

}  // namespace gpuccl::cpu
