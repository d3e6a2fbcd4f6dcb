#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Returns the text with ASCII letters in lower case.
std::string lower_case(std::string text);

/// Returns ".tiff" for "Scan.TIFF", ".nii.gz" for "brain.nii.gz".
std::string lower_extension(const std::filesystem::path& name);

/// Returns the path without lower_extension().
std::string without_extension(const std::filesystem::path& name);

/// True if `a` comes before `b` in natural order: runs of digits compare as numbers, so "z2" precedes "z10".
/// A strict total order on bytes, the same in every locale.
bool natural_less(std::string_view a, std::string_view b);

/// Identity of the file that a path refers to: equal for every path, symbolic link and hard link of one file.
/// A file that does not exist yet is identified by its nearest existing folder and its name relative to it.
struct FileIdentity {
  unsigned long long device = 0;
  unsigned long long inode = 0;
  std::string name;  // of a file that does not exist, empty otherwise

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

/// Return the identity of an input ("-": standard input; an array: its file), and of a file.
FileIdentity identify_input(const std::string& path);
FileIdentity identify(const std::string& path);

/// Returns whether both are names of one stream, such as standard input or a pipe, which is read once.
bool are_one_stream(const std::string& a, const std::string& b);

/// Returns the size of the file `path`, or of the file of this array; 0 if it is not a regular file.
std::uint64_t bytes_of_regular_file(const std::string& path);

/// Follows symbolic links from a name; the final target need not exist. `stop`, if given, is called with
/// every name on the way, including the first and the last, and ends the walk if it returns true. Returns
/// none if there are more links than the kernel follows.
std::optional<std::filesystem::path> follow_links(
    std::filesystem::path name, const std::function<bool(const std::filesystem::path& name)>& stop = nullptr);

/// Returns a hash that distinguishes contents.
inline std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

class TemporaryName;

/// Returns system_reason() of a failure to create something in `folder`. The permissions of a folder that was
/// moved or made while the program runs may allow what the sandbox denies.
std::string reason_in_folder(const std::filesystem::path& folder, int code);

/// Creates `folder` and missing folders above it. FileError (cannot_create, io).
void make_folder(const std::filesystem::path& folder);

/// A folder for files that may never be written. It is removed with this object, or if a signal ends the
/// process, unless it contains files.
class ScopedFolder {
 public:
  /// Creates `name` in the folder `parent`; an existing one is kept. Throws Error (cannot_create).
  ScopedFolder(const std::string& parent, const std::string& name);
  ~ScopedFolder();
  ScopedFolder(const ScopedFolder&) = delete;
  ScopedFolder& operator=(const ScopedFolder&) = delete;

 private:
  Descriptor parent_;
  std::unique_ptr<TemporaryName> name_;  // null: it existed before
};

/// Removes the folder `name` of an open folder, with its content. Links in it are removed, not followed.
/// Returns false if something is left. Safe in a signal handler: it allocates nothing. If other threads still
/// write, it tries again for a while.
bool remove_tree(int folder, const char* name) noexcept;

/// Lock of a folder: other threads and processes that lock the same folder wait. Without effect on file
/// systems that cannot lock folders.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);

 private:
  Descriptor folder_;
};

}  // namespace gpuccl::io
