#pragma once

#include <optional>

#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::app {

class Command;

/// --spacing, the size of an element.
void add_spacing(const Command& command, std::optional<io::GivenSpacing>& spacing);

/// Error (usage) if two lengths were given for `input`, which has that spacing now and is a volume by this
/// connectivity, where the file has no third.
void check_spacing(const std::optional<io::GivenSpacing>& given, const io::ImageInfo& input,
                   Connectivity connectivity);

}  // namespace gpuccl::app
