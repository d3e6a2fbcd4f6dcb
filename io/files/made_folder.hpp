#pragma once

#include <memory>
#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

class TemporaryName;

/// A folder that is made for files that may never come: it goes when this does, or when a signal ends the
/// process, if it is empty then.
class MadeFolder {
 public:
  /// `name` in the folder `parent`; it is left alone if it is there. Throws Error (cannot_create).
  MadeFolder(const std::string& parent, const std::string& name);
  ~MadeFolder();
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;

 private:
  Descriptor parent_;
  std::unique_ptr<TemporaryName> name_;  // null: it was there
};

}  // namespace gpuccl::io
