#pragma once

#include <string>

#include "app/label/label_paths.hpp"

namespace gpuccl::app {

/// Returns whether all outputs exist and, as far as a report shows, belong to a run of this input with this
/// signature (signature_of()). `stack`: the input is a folder of slices.
bool is_done(const LabelPaths& files, const std::string& signature, bool stack);

}  // namespace gpuccl::app
