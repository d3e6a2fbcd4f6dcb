#pragma once

#include <filesystem>

namespace gpuccl::io {

/// Makes `folder` and those above it, as far as they are not there. FileError (cannot_create, io).
void make_folder(const std::filesystem::path& folder);

}  // namespace gpuccl::io
