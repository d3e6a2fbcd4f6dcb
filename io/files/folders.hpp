#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

class TemporaryName;

/// Makes `folder` and those above it, as far as they are not there. FileError (cannot_create, io).
void make_folder(const std::filesystem::path& folder);

/// A folder that is made for files that may never come: it goes when this does, or when a signal ends the
/// process, if it is empty then.
class ScopedFolder {
 public:
  /// `name` in the folder `parent`; it is left alone if it is there. Throws Error (cannot_create).
  ScopedFolder(const std::string& parent, const std::string& name);
  ~ScopedFolder();
  ScopedFolder(const ScopedFolder&) = delete;
  ScopedFolder& operator=(const ScopedFolder&) = delete;

 private:
  Descriptor parent_;
  std::unique_ptr<TemporaryName> name_;  // null: it was there
};

/// Removes the folder `name` of an open folder, with all that is in it; links in it are removed, not
/// followed. False if something is left. Safe in a signal handler: it allocates nothing, and tries again a
/// while where others still write.
bool remove_tree(int folder, const char* name) noexcept;

/// While one exists, others that make one of the same folder wait, threads and processes. Where a file system
/// has no locks for folders, nobody does.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);

 private:
  Descriptor folder_;
};

}  // namespace gpuccl::io
