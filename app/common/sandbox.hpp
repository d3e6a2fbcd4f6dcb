#pragma once

#include <string>
#include <vector>

namespace gpuccl::app {

/// File permissions of the process after it enters the sandbox (Landlock, Linux 5.13 and later). A reader
/// that hostile data has taken over cannot read other files, write elsewhere or open connections.
class Sandbox {
 public:
  /// A file, or all that is below a folder. Missing files are left out.
  void read(const std::string& path);
  /// All that is below the folder in which this file is, or is going to be.
  void write_beside(const std::string& path);
  void write_below(const std::string& folder);

  /// Without this, enter() does nothing.
  void close() { is_closed_ = true; }
  /// From here on, for this thread and those that it starts: call it before there are others. Nothing happens
  /// where the system cannot do it.
  void enter() const;

  /// "landlock", or "" where the process is free.
  static const std::string& in_force();

 private:
  std::vector<std::string> read_, written_;
  bool is_closed_ = false;
};

/// Whether an NVIDIA GPU may be used, whose driver reads and writes files of its own.
bool has_gpu_driver();

}  // namespace gpuccl::app
