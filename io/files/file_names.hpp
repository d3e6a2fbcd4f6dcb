#pragma once

#include <filesystem>
#include <string>

namespace gpuccl::io {

/// ASCII letters in lower case; other bytes stay.
std::string lower_case(std::string text);

/// ".tiff" of "Scan.TIFF".
std::string lower_extension(const std::filesystem::path& name);

}  // namespace gpuccl::io
