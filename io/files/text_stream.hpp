#pragma once

#include <string>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Standard output ("-"), another descriptor of this process, a pipe or a device: text is written to it, and
/// it is never replaced.
class TextStream {
 public:
  static bool is_named(const std::string& path);

  /// Waits for a reader if it is a pipe with a name. FileError (cannot_create).
  explicit TextStream(const std::string& path);

  int descriptor() const { return descriptor_; }
  /// For messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Descriptor opened_;
  int descriptor_;
};

}  // namespace gpuccl::io
