#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gpuccl::io {

/// ASCII letters in lower case; other bytes stay.
std::string lower_case(std::string text);

/// ".tiff" of "Scan.TIFF", ".nii.gz" of "brain.nii.gz".
std::string lower_extension(const std::filesystem::path& name);

/// The name, with its folder, up to that.
std::string without_extension(const std::filesystem::path& name);

/// True if `a` comes before `b` in natural order: runs of digits compare as numbers, so "z2" precedes "z10".
/// A strict total order on bytes, the same in every locale.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace gpuccl::io
