#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace tests {

/// A file that is in memory only but has a path, for tests that damage one in thousands of ways.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content = {})
      : descriptor_(memfd_create("gpuccl-test", MFD_CLOEXEC)) {
    require(descriptor_ >= 0);
    write(content);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  void write(const std::string& content) {
    truncate(0);
    overwrite(0, content);
  }
  void overwrite(std::size_t at, const std::string& bytes) {
    require(pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
            static_cast<ssize_t>(bytes.size()));
  }
  void truncate(std::size_t size) { require(ftruncate(descriptor_, static_cast<off_t>(size)) == 0); }

 private:
  static void require(bool good) {
    if (!good) throw std::runtime_error("a test's file in memory cannot be written");
  }

  int descriptor_;
};

}  // namespace tests
