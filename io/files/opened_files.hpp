#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuccl::io {

/// Record of the files that an input was read from. Thread-safe.
class OpenedFiles {
 public:
  struct File {
    std::string path;
    std::optional<std::uint64_t> bytes;  // none for a folder
  };

  void add(const std::string& path, std::optional<std::uint64_t> bytes) {
    const std::lock_guard lock(mutex_);
    files_[path] = bytes;
  }
  /// Returns the files, sorted by path.
  std::vector<File> list() const {
    const std::lock_guard lock(mutex_);
    std::vector<File> files;
    files.reserve(files_.size());
    for (const auto& [path, bytes] : files_) files.push_back({path, bytes});
    return files;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::optional<std::uint64_t>> files_;
};

}  // namespace gpuccl::io
