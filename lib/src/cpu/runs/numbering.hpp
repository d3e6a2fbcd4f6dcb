#pragma once

#include <memory>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/run_labels.hpp"
#include "cpu/runs/strips.hpp"
#include "gpuccl/labels.hpp"

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

/// Area, box and sums of coordinates of every component, from the runs. `labels_before` as numbering has it.
/// Of RunLabels and of ValueLabels.
template <class Labels>
Components measure(const Labels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before);

}  // namespace gpuccl::cpu
