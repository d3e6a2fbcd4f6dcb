#pragma once

#include <string>

#include "gpuccl/labels.hpp"

namespace gpuccl::io {

/// Reads a label image written by this program or another: TIFF of 8/16/32-bit unsigned gray (pages are
/// slices), PNG of 1 to 16-bit gray, .npy of u1/u2/u4 in C order with 2 or 3 axes. Values are taken as
/// stored. count() of the result is the largest value. Throws Error as open_reader does.
LabelImage read_labels(const std::string& path);

}  // namespace gpuccl::io
