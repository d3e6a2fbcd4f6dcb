#pragma once

#include <string>

namespace gpuccl::io {

/// The name of a temporary file in an open folder, kept where remove_temporary_files() finds it, until the
/// guard dies.
///
/// Made before the file is, so that no moment is left in which a signal would leave the file behind.
class TemporaryName {
 public:
  /// A new ".gpuccl-XXXXXX": short, because the target's own name may already be as long as names can be.
  explicit TemporaryName(int folder);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const char* c_str() const { return name_.c_str(); }

 private:
  std::string name_;
  int slot_ = -1;  // -1: more names in use than the list holds; such a file outlives a signal
};

}  // namespace gpuccl::io
