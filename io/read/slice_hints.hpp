#pragma once

#include <string>
#include <vector>

namespace gpuccl::io {

/// A line for each thing that is odd about the names of all images in a folder of slices, in their natural
/// order: images of several formats, and a number that is missing.
std::vector<std::string> slice_hints(const std::vector<std::string>& names);

}  // namespace gpuccl::io
