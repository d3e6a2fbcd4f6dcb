#pragma once

#include <string>

#include "io/image/geometry.hpp"

namespace gpuccl::io {

/// Parses the field "space": "left-posterior-superior" or "LPS", in any case. Returns unknown for other
/// values and for spaces with a time axis.
WorldSpace nrrd_space(const std::string& name);
/// Its long name; "" if unknown.
const char* nrrd_name(WorldSpace space);

}  // namespace gpuccl::io
