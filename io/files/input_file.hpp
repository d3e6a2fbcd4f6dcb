#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/files/byte_source.hpp"
#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// The bytes of an input. A regular file is read where and when asked, never mapped, so that one that shrinks
/// meanwhile is an error and not a signal; what cannot be positioned (a pipe, as stdin mostly is) is held in
/// memory.
class InputFile final : public ByteSource {
 public:
  /// `path` may be "-" for stdin. Throws Error: no_input when missing or unreadable, io when reading fails,
  /// memory when a pipe brings more than `max_held` bytes.
  InputFile(const std::string& path, std::int64_t max_held);
  /// A regular file of `size` bytes that is open.
  InputFile(Descriptor file, std::uint64_t size) : descriptor_(std::move(file)), size_(size) {}
  /// Bytes from elsewhere.
  explicit InputFile(std::vector<std::byte> bytes);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Returns the path as given; empty for other sources.
  const std::string& path() const { return path_; }
  /// Returns the selected array, such as "/volume/raw" in "cells.h5:/volume/raw"; empty if none is.
  const std::string& inside() const { return inside_; }
  std::uint64_t size() const { return size_; }
  /// -1 if it has none: all is held in memory.
  int descriptor() const { return descriptor_.get(); }
  /// Returns the number of bytes held in memory.
  std::int64_t held_bytes() const { return static_cast<std::int64_t>(held_.capacity()); }
  /// Throws Error (io).
  std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const override;

 private:
  void hold_all(int descriptor, std::int64_t max_held);

  std::string path_, inside_;
  Descriptor descriptor_;  // none: held_
  std::vector<std::byte> held_;
  std::uint64_t size_ = 0;
};

}  // namespace gpuccl::io
