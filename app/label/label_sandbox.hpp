#pragma once

#include <string>
#include <vector>

#include "app/common/sandbox.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"

namespace gpuccl::app {

/// Returns the file permissions of labeling: read the inputs and files next to them, write to the folders of
/// outputs and to `parts`. Unrestricted if a GPU may be used or --no-sandbox is given.
Sandbox sandbox_of(const LabelPaths& files, const LabelOptions& options, const std::string& parts = {});
/// Returns the file permissions of a batch. Adds its output folders, or their parents if they are missing.
Sandbox sandbox_of(const std::vector<std::string>& inputs, const std::vector<std::string>& folders,
                   const LabelOptions& options);

/// Restricts a command that reads files on the CPU: it can read its inputs and the files next to them, and
/// write to the folders of its outputs. Names that are empty or "-" count for nothing.
void enter_sandbox(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs = {});

}  // namespace gpuccl::app
