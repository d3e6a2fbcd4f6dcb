#pragma once

#include <string>

#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// The options that decide what the outputs of an input hold, in an order of their own and as they are
/// written, those that say what is the default left out: "-c 4 --min-size 8". "" if all is as by default.
std::string deciding_options(const LabelOptions& options);

}  // namespace gpuccl::app
