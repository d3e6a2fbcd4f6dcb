#pragma once

#include <cstdio>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::tests {

/// WIDTHxHEIGHT[xDEPTH]; Error (usage) if `text` is another.
inline Extent parse_extent(const std::string& text) {
  Extent extent;
  if (std::sscanf(text.c_str(), "%dx%dx%d", &extent.width, &extent.height, &extent.depth) < 2)
    throw Error(ErrorCode::usage, "not an extent: " + text);
  return extent;
}

}  // namespace gpuccl::tests
