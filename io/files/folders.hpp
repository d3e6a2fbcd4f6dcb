#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

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
