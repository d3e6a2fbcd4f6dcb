#pragma once

#include <string>

#include "io/image/geometry.hpp"

namespace gpuccl::io {

/// What the field "space" names: "left-posterior-superior" or "LPS" in any case. Unknown if it is none, or
/// has an axis of time.
WorldSpace nrrd_space(const std::string& name);
/// Its long name; "" if unknown.
const char* nrrd_name(WorldSpace space);

}  // namespace gpuccl::io
