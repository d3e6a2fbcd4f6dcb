#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/label/batch/find_inputs.hpp"
#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// One input and where its outputs go.
struct BatchItem {
  LabelFiles files;
  std::optional<Error> problem;
};

/// Whether the command line asks for a batch, and not for one input with outputs of its own.
bool is_batch(const LabelOptions& options);

/// Refuses what contradicts itself in a batch before any file is touched. Error (usage).
void check_batch(const LabelOptions& options);

/// What FoundInputs becomes. Error (usage) if two inputs have one output, or an output is an input.
std::vector<BatchItem> plan_batch(const std::vector<BatchInput>& inputs, const LabelOptions& options);

/// Folders that outputs go to.
std::vector<std::string> output_folders(const LabelOptions& options);

}  // namespace gpuccl::app
