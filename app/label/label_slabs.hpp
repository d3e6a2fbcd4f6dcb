#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/label/memory_plan.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/value_slabs.hpp"
#include "io/read/reader.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// What labeling slab by slab has found and taken.
struct SlabTotals {
  EngineReport engine;  // of the first slab, times of all
  std::int64_t elements = 0, foreground = 0, most_runs_in_row = 0;
  double read_ms = 0;
};

/// What is labeled slab by slab, and how. All of it must outlive the labels, which read and label again.
struct SlabInput {
  const std::string& path;
  io::Reader& reader;
  Engine& engine;
  std::function<void(double)> progress;  // hears which share of elements was read
};

/// Labels `input` by the slabs of `plan`. `totals` does not know of what is done again, which is part of
/// writing.
Labeled label_slabs(const SlabInput& input, Connectivity connectivity, const MemoryPlan& plan,
                    SlabTotals& totals);

/// The same of values.
LabeledValues label_value_slabs(const SlabInput& input, Connectivity connectivity, double delta,
                                const MemoryPlan& plan, SlabTotals& totals);

/// The same when holes of at most `max_size` elements have been filled, of which `filled` gets to know.
/// SlabTotals::foreground is that of the input.
Labeled label_filled_slabs(const SlabInput& input, Connectivity connectivity, std::uint64_t max_size,
                           const MemoryPlan& plan, SlabTotals& totals, io::FilledHoles& filled);

/// The same of the background of `labels`, which were made by the same plan.
Labeled label_background(const SlabInput& input, const LabelSource& labels, Connectivity connectivity,
                         const MemoryPlan& plan);

}  // namespace gpuccl::app
