#pragma once

#include <cstdint>
#include <memory>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

// Makers of the labelers of the CPU rows in engine/algorithms.cpp.
std::unique_ptr<Labeler> make_runs(Connectivity connectivity);
std::unique_ptr<Labeler> make_flood_fill(Connectivity connectivity);
std::unique_ptr<Labeler> make_sauf(Connectivity connectivity);
std::unique_ptr<Labeler> make_hcs2_aremsp(Connectivity connectivity);
std::unique_ptr<Labeler> make_pred(Connectivity connectivity);
std::unique_ptr<Labeler> make_drag(Connectivity connectivity);
std::unique_ptr<Labeler> make_ep(Connectivity connectivity);
std::unique_ptr<Labeler> make_fb(Connectivity connectivity);

// Algorithm::host_workspace_bytes of each algorithm. Algorithms that label slice by slice share a bound.
std::int64_t runs_workspace_bytes(Connectivity connectivity, Extent extent);
std::int64_t flood_fill_table_bytes(Connectivity connectivity, Extent extent);
std::int64_t slice_table_bytes(Connectivity connectivity, Extent extent);

/// Returns `runs` with a given number of strips, 0 for a default from the number of threads. The labels are
/// the same.
std::unique_ptr<Labeler> make_runs_in_strips(Connectivity connectivity, int strips);

}  // namespace gpuccl::cpu
