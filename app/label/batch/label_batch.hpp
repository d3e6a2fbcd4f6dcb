#pragma once

#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// Labels several inputs side by side and goes on after failures; the exit code of the whole.
int label_batch(const LabelOptions& options);

}  // namespace gpuccl::app
