#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuccl::io {

/// Bytes that are read where and when asked.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Copies `count` bytes from `offset` on, fewer only at the end, and returns how many. May be called from
  /// several threads at once. Throws Error (data, io).
  virtual std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const = 0;
};

}  // namespace gpuccl::io
