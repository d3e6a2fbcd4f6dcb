#pragma once

#include <set>
#include <string>
#include <vector>

namespace gpuccl::app {

/// File permissions of the process after it enters the sandbox (Landlock, Linux 5.13 and later). A reader
/// that hostile data has taken over cannot read other files, write elsewhere or open connections. Empty paths
/// and "-" are ignored.
class Sandbox {
 public:
  /// Allows reading a file, or everything below a folder. Missing files are ignored.
  void read(const std::string& path) { read_.insert(path); }
  /// Allows reading an input with its folder, because samples may be next to a header, and the targets of
  /// links.
  void read_input(const std::string& input);
  /// Allows writing below the folder of this file, which need not exist. Links are followed.
  void write_next_to(const std::string& path);
  /// Allows writing below a folder; `with_links`: and to the targets of its links, because outputs that are
  /// links are followed.
  void write_below(const std::string& folder, bool with_links = false);

  /// Makes enter() restrict the process; without this call it does nothing.
  void close() { is_closed_ = true; }
  /// Restricts this thread and all threads that it starts; call it before other threads exist. Has no effect
  /// if the system does not support it.
  void enter() const;

  /// Returns "landlock", or "" if the process is not restricted.
  static const std::string& in_force();

 private:
  std::set<std::string> read_, written_;
  std::set<std::string> folders_;  // of files passed to write_next_to()
  bool is_closed_ = false;
};

/// Restricts a command that reads files on the CPU: it can read its inputs and the files next to them, and
/// write to the folders of its outputs. With `follow` it can read all files.
void enter_sandbox(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs = {},
                   bool follow = false);

/// Returns whether an NVIDIA driver is installed. It reads and writes files of its own.
bool has_gpu_driver();

}  // namespace gpuccl::app
