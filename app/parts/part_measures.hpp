#pragma once

#include <optional>
#include <string>

#include "app/label/label_measures.hpp"
#include "app/parts/part_input.hpp"

namespace gpuccl::app {

/// What is measured of an input in parts, with the image of samples open if there is one. `files` and
/// `options` must outlive it. Error (usage, data) as LabelMeasures::plan(), open_intensity() and
/// check_labels_background().
LabelMeasures measures_in_parts(const LabelPaths& files, const LabelOptions& options, const PartInput& input);

/// PartInput::state(), and the same of the image of samples if there is one.
std::string state_of_inputs(const LabelPaths& files, const PartInput& input);
/// Which of the two is not as when that was `before`, the input if both; none if nothing has changed.
std::optional<std::string> changed_input(const LabelPaths& files, const PartInput& input,
                                         const std::string& before);

/// Whether rows are looked at for that, which parts do when they have been united: periodic images have only
/// measures that need none.
bool measures_rows(const LabelOptions& options, const LabelMeasures& measures);

/// Labels the background of a part as needs_background() says, of which `labels` are those of the foreground,
/// or null if it has no rows. The result looks at `bits`.
Labeled label_background_of(const LabelSource* labels, Connectivity connectivity, LazyEngine& engine,
                            BitVolume& bits);

}  // namespace gpuccl::app
