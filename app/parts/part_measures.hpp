#pragma once

#include "app/label/label_measures.hpp"
#include "app/parts/part_input.hpp"

namespace gpuccl::app {

/// What is measured of an input in parts. `files` and `options` must outlive it. Error (usage, data) as
/// LabelMeasures::plan(), and if it takes the background.
LabelMeasures measures_in_parts(const LabelPaths& files, const LabelOptions& options, const PartInput& input);

/// Whether rows are looked at for that, which parts do when they have been united: periodic images have only
/// measures that need none.
bool measures_rows(const LabelOptions& options, const LabelMeasures& measures);

}  // namespace gpuccl::app
