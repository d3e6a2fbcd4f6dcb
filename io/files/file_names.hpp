#pragma once

#include <filesystem>
#include <string>

namespace gpuccl::io {

/// ASCII letters in lower case; other bytes stay.
std::string lower_case(std::string text);

/// ".tiff" of "Scan.TIFF", ".nii.gz" of "brain.nii.gz".
std::string lower_extension(const std::filesystem::path& name);

/// The name, with its folder, up to that.
std::string without_extension(const std::filesystem::path& name);

}  // namespace gpuccl::io
