#pragma once

#include <string>
#include <vector>

#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// Whether the command line asks for a batch, and not for one input with outputs of its own.
bool is_batch(const LabelOptions& options);

/// Refuses what contradicts itself in a batch before any file is touched. Error (usage).
void check_batch(const LabelOptions& options);

/// Folders that outputs go to.
std::vector<std::string> output_folders(const LabelOptions& options);

}  // namespace gpuccl::app
