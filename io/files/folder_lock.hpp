#pragma once

#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// While one exists, others that make one of the same folder wait, threads and processes. Where a file system
/// has no locks for folders, nobody does.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);

 private:
  Descriptor folder_;
};

}  // namespace gpuccl::io
