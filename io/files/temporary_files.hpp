#pragma once

#include <csignal>
#include <string>

namespace gpuccl::io {

/// While one exists, this thread gives a file a temporary name or takes it away, and no signal interrupts it.
/// remove_temporary_files() waits for all of them, so that no file appears after it has looked.
class Naming {
 public:
  /// Never returns once remove_temporary_files() has begun: the process is about to die and names no more
  /// files.
  Naming();
  ~Naming();
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

 private:
  sigset_t before_{};
};

/// The name of a temporary file in an open folder, kept where remove_temporary_files() finds it, until the
/// guard dies.
///
/// Made before the file is, so that a signal never leaves the file.
class TemporaryName {
 public:
  /// A new ".gpuccl-XXXXXX": short, because the target's own name may already be as long as names can be.
  TemporaryName(int folder, const Naming&);
  /// Gives an existing folder a short name; the folder is removed only if it is empty.
  TemporaryName(int folder, const std::string& name, const Naming&);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const char* c_str() const { return name_.c_str(); }

 private:
  enum class Removed { whole, if_empty };

  TemporaryName(int folder, std::string name, Removed removed);

  std::string name_;
  int slot_ = -1;  // -1: more names in use than the list holds; such a file outlives a signal
};

}  // namespace gpuccl::io
