#pragma once

#include <string>
#include <vector>

#include "app/common/sandbox.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"

namespace gpuccl::app {

/// What labeling may do with files, unless a GPU may be used or --no-sandbox is given: read the inputs and
/// what lies beside them, and write where outputs, and `parts`, go.
Sandbox sandbox_of(const LabelPaths& files, const LabelOptions& options, const std::string& parts = {});
/// The same of a batch, with the folders that its outputs go to; of one that is not there, that above it.
Sandbox sandbox_of(const std::vector<std::string>& inputs, const std::vector<std::string>& folders,
                   const LabelOptions& options);

}  // namespace gpuccl::app
