#pragma once

#include <vector>

#include "cpu/runs/run_labels.hpp"
#include "cpu/runs/strips.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// Area, box and sums of coordinates of every component, from the runs. `labels_before` as numbering has it.
/// Of RunLabels and of ValueLabels.
template <class Labels>
Components measure(const Labels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before);

}  // namespace gpuccl::cpu
