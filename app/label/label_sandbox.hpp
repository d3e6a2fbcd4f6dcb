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

/// Restricts gpuccl join to the input and outputs of the run and to its folder of parts. Call it after the
/// file that names them was read, which is trusted because it belongs to the user.
void enter_sandbox_of_join(const LabelPaths& files, const LabelOptions& options, const std::string& parts);

/// Restricts a command that reads files on the CPU: it can read its inputs and the files next to them, and
/// write to the folders of its outputs. Names that are empty or "-" are ignored. With `follow` it can
/// read all files.
void enter_sandbox(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs = {},
                   bool follow = false);

}  // namespace gpuccl::app
