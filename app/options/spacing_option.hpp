#pragma once

#include <optional>

#include "io/image/geometry.hpp"

namespace gpuccl::app {

class Command;

/// --spacing, the size of an element.
void add_spacing(const Command& command, std::optional<io::GivenSpacing>& spacing);

}  // namespace gpuccl::app
