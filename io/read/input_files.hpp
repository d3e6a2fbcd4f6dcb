#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// What an input is read from, which may be more than the file that it is named by.
namespace gpuccl::io {

struct InputFiles {
  std::vector<std::string> files;   // of a stack its slices and their list, too; samples beside a header
  std::vector<std::string> stores;  // Zarrs, of which every file belongs to the input
};

/// Of what cannot be read, the name alone: reading says why.
InputFiles files_of_input(const std::string& path, bool stack);

/// What shows, as far as a file system does, that an input is another one than before.
struct InputState {
  using Time = std::filesystem::file_time_type;
  std::uint64_t fingerprint = 0;              // of names, sizes and times of files, in whatever order
  Time last_change = Time::min();             // of a file
  Time last_change_of_folders = Time::min();  // in which files came or went, whether of the input or not
};

/// Of files and what is in stores, but for the groups of labels that are written into them.
InputState state_of_input(const std::string& path, bool stack);

}  // namespace gpuccl::io
