#pragma once

#include <string>
#include <vector>

namespace gpuccl::app {

/// File permissions of the process after it enters the sandbox (Landlock, Linux 5.13 and later). A reader
/// that hostile data has taken over cannot read other files, write elsewhere or open connections.
class Sandbox {
 public:
  /// Allows reading a file, or everything below a folder. Missing files are ignored.
  void read(const std::string& path);
  /// Allows writing below the folder of this file, which need not exist.
  void write_beside(const std::string& path);
  void write_below(const std::string& folder);

  /// Makes enter() restrict the process; without this call it does nothing.
  void close() { is_closed_ = true; }
  /// Restricts this thread and all threads that it starts; call it before other threads exist. Has no effect
  /// if the system does not support it.
  void enter() const;

  /// Returns "landlock", or "" if the process is not restricted.
  static const std::string& in_force();

 private:
  std::vector<std::string> read_, written_;
  bool is_closed_ = false;
};

/// Returns whether an NVIDIA driver is installed. It reads and writes files of its own.
bool has_gpu_driver();

}  // namespace gpuccl::app
