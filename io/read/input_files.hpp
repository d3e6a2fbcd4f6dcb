#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/image/paths.hpp"

// The files that an input is read from. They may be more than the one that names it.
namespace gpuccl::io {

struct InputFiles {
  std::vector<std::string> files;   // of a stack its slices and their list, too; samples next to a header
  std::vector<std::string> stores;  // Zarrs; all of their files belong to the input
};

/// Lists only the name of an input that cannot be read; reading reports why.
InputFiles files_of_input(const Source& source);

/// Returns a hash of names, sizes, modification times and inodes of all files of an input. For a store it
/// leaves out the label groups that are written into it. Returns "" if the input is not in regular files.
std::string state_of_input(const Source& source);

/// Returns warnings about the names of all images in a folder of slices, which are in natural order: several
/// formats, and missing numbers.
std::vector<std::string> slice_hints(const std::vector<std::string>& names);

/// Returns the warning about files of a folder that are skipped by name, with the first names.
std::string skipped_by_name(std::vector<std::string> names);

/// The file of a folder that, if it exists, lists the slices of the stack in order.
inline constexpr const char* kSliceList = "files.txt";

/// Returns the names of the slices of a folder, without path, in the order of the stack. `warn`, if not null,
/// receives warnings about files that are left out. The list and its entries must be in the folder, unless
/// `follow` is set. Throws Error (no_input, data, io).
std::vector<std::string> slice_names(const std::filesystem::path& folder,
                                     const std::function<void(const std::string& line)>& warn = nullptr,
                                     bool follow = false);

}  // namespace gpuccl::io
