#pragma once

#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// Refuses what a part cannot do or what can be refused without looking at an input. Error (usage).
void check_for_parts(const LabelOptions& options);

}  // namespace gpuccl::app
