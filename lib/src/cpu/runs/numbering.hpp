#pragma once

#include <memory>
#include <vector>

#include "common/union_find.hpp"
#include "cpu/runs/bundles.hpp"
#include "cpu/runs/run_labels.hpp"
#include "cpu/runs/strips.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

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
