#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The files that an input is read from. They may be more than the one that names it.
namespace gpuccl::io {

struct InputFiles {
  std::vector<std::string> files;   // of a stack its slices and their list, too; samples next to a header
  std::vector<std::string> stores;  // Zarrs; all of their files belong to the input
};

/// Lists only the name of an input that cannot be read; reading reports why.
InputFiles files_of_input(const std::string& path, bool stack);

/// State by which the file system shows whether an input has changed.
struct InputState {
  using Time = std::filesystem::file_time_type;
  std::uint64_t fingerprint = 0;              // of names, sizes and times of files, in any order
  Time last_change = Time::min();             // of a file
  Time last_change_of_folders = Time::min();  // when any file was created or removed in them
};

/// Returns the state of files, and of stores without the label groups that are written into them.
InputState state_of_input(const std::string& path, bool stack);

}  // namespace gpuccl::io
