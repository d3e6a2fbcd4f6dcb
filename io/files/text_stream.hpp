#pragma once

#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Standard output ("-"), another descriptor of this process, a pipe or a device: text is written to it, and
/// it is never replaced.
class TextStream {
 public:
  static bool is_named(const std::string& path);

  /// Holds on to a descriptor: to be made before any file is opened that may get its number if it is not
  /// open. FileError (cannot_create).
  explicit TextStream(const std::string& path);
  /// Opens what is not a descriptor, and waits for a reader if it is a pipe with a name. FileError
  /// (cannot_create).
  void open();

  /// Once it is open.
  int descriptor() const { return descriptor_.get(); }
  /// For messages.
  const std::string& name() const { return name_; }

 private:
  std::string path_, name_;
  Descriptor descriptor_;
};

}  // namespace gpuccl::io
