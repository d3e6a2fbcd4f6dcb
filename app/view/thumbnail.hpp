#pragma once

#include <string>

#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// A small PNG of the labels, of a volume its middle slice. Components smaller than a pixel are seen too.
std::string thumbnail(const io::MappedLabels& labels);

}  // namespace gpuccl::app
