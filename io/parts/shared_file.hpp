#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gpuccl/parts.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// A file, or a folder, that several parts write, each a stretch of its own. Part 0 makes it and gives it its
/// name when all have finished.
class SharedFile {
 public:
  /// All parts together. `made` is that of part 0 (Options::named), others open it under its temporary name.
  /// Throws as collectively().
  SharedFile(PartLink& link, const std::string& path, AtomicFile* made);

  const std::string& path() const { return path_; }
  int descriptor() const { return made_ != nullptr ? made_->descriptor() : opened_.get(); }
  void write_at(const void* data, std::size_t bytes, std::uint64_t offset);
  /// Sum of what all parts have written, for AtomicFile::checksum().
  void add_to_checksum(std::uint64_t sum) {
    if (made_ != nullptr) made_->add_to_checksum(sum);
  }
  /// Flushes the section of this part to the disk.
  void finish();

 private:
  std::string path_;
  AtomicFile* made_;
  Descriptor opened_;
  bool is_folder_ = false;
};

}  // namespace gpuccl::io
