#pragma once

#include <string>

#include "app/label/label_paths.hpp"

namespace gpuccl::app {

/// Whether all outputs are there and, as far as a report shows, those of one run of this input with the
/// options `deciding` (signature_of()). `stack`: the input is a folder of slices.
bool is_done(const LabelPaths& files, const std::string& deciding, bool stack);

}  // namespace gpuccl::app
