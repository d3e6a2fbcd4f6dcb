#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace gpuccl::io {

/// Identity of the file that a path refers to: equal for every path, symbolic link and hard link of one file.
/// A file that does not exist yet is identified by its nearest existing folder and its name relative to it.
struct FileIdentity {
  unsigned long long device = 0;
  unsigned long long inode = 0;
  std::string name;  // of a file that does not exist, empty otherwise

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

/// "-" is whatever standard input is; of an array in a file, the file.
FileIdentity identify_input(const std::string& path);
FileIdentity identify(const std::string& path);

/// Whether both are names of one stream, such as standard input or a pipe, which is read once.
bool are_one_stream(const std::string& a, const std::string& b);

/// Size of the file `path`, or of that in which the array of this name is; 0 if it is not a regular file.
std::uint64_t bytes_of_regular_file(const std::string& path);

}  // namespace gpuccl::io
