#pragma once

#include <string>

namespace gpuccl::io {

/// The name of an input: of a file, or of an array in one, as in "cells.h5:/volume/raw".
struct InputName {
  std::string file;
  std::string inside;  // "/volume/raw"; empty: what is in the file
};

/// At the first ":/" that follows the name of a file; nothing is split that is a file, or none.
InputName split_input(const std::string& path);

/// Whether `path` begins with the name of a file and a colon, as in "cells.h5:volume".
bool looks_inside(const std::string& path);

}  // namespace gpuccl::io
