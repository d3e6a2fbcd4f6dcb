#pragma once

#include <memory>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/strips.hpp"

namespace gpuccl::cpu {

/// Returns the number of runs before each bundle, and the number of all runs at the end. Error (data) if
/// there are more than 2^32 - 1.
std::vector<Index> count_runs(const Bundles& bundles, const std::vector<Strip>& strips);

/// Numbers 1 to N of the components, in raster order of their first elements.
struct Numbering {
  std::unique_ptr<Label[]> label_of_run;
  std::vector<Label> labels_before;  // of each strip; and N at the end
};

/// Numbers the components. `links` is the forest of all runs; afterwards each run is linked to its root.
Numbering number_components(const Bundles& bundles, const std::vector<Strip>& strips,
                            const std::vector<Index>& runs_before, Label* links);

}  // namespace gpuccl::cpu
