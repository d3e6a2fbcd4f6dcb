#pragma once

#include <memory>
#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

class Naming;
class TemporaryName;

/// A file that goes when others get their names. Throws Error (cannot_create) if it cannot.
class ObsoleteFile {
 public:
  explicit ObsoleteFile(const std::string& path);
  ~ObsoleteFile();
  ObsoleteFile(const ObsoleteFile&) = delete;
  ObsoleteFile& operator=(const ObsoleteFile&) = delete;

  const std::string& path() const { return path_; }
  /// Renames an existing file of this name to a temporary name.
  void take_away(const Naming& naming);
  void give_back(const Naming& naming);
  void drop(const Naming& naming);

 private:
  std::string path_, name_;
  Descriptor folder_;
  std::unique_ptr<TemporaryName> old_;
};

}  // namespace gpuccl::io
