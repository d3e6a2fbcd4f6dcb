#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/label/memory_plan.hpp"
#include "gpuccl/engine.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {

/// What labeling slab by slab has found and taken.
struct SlabTotals {
  EngineReport engine;  // of the first slab, times of all
  std::int64_t elements = 0, foreground = 0, most_runs_in_row = 0;
  double read_ms = 0;
};

/// Labels the input of `reader`, the file `path`, by the slabs of `plan`. All but the plan must outlive the
/// labels: they read and label again. `totals` does not know of that, it is part of writing. `progress` hears
/// which share of elements was read.
Labeled label_slabs(const std::string& path, io::Reader& reader, Engine& engine, Connectivity connectivity,
                    const MemoryPlan& plan, const std::function<void(double)>& progress, SlabTotals& totals);

}  // namespace gpuccl::app
