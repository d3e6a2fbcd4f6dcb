#pragma once

#include <string>

#include "gpuccl/error.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Why `file` cannot be read: what it is, with what to do about it, where its first bytes tell; `otherwise`
/// if not.
Error unknown_format(const InputFile& file, const std::string& otherwise);

}  // namespace gpuccl::io
