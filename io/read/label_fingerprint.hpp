#pragma once

#include <string>

#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Returns ContentHash::text() of a label image in any format that is read: what a report contains if gpuccl
/// wrote it. Takes memory for a few slices, or rows of a large slice. Throws Error as open_reader() does, and
/// (data) for colors.
std::string fingerprint_of_labels(const std::string& path, const Limits& limits = {});

}  // namespace gpuccl::io
