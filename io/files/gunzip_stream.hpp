#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/files/input_file.hpp"

struct z_stream_s;

namespace gpuccl::io {

/// What is compressed by gzip (RFC 1952), in one member or several, or by zlib (RFC 1950), from some byte of
/// a file on. A copy goes on from the same place.
class GunzipStream {
 public:
  explicit GunzipStream(const InputFile& file, std::uint64_t offset = 0);
  GunzipStream(const GunzipStream& other);
  GunzipStream& operator=(const GunzipStream&) = delete;
  ~GunzipStream();

  /// Memory of one that is read from, and of a copy that is not.
  static constexpr std::int64_t kBytes = 112 << 10, kBytesOfCopy = 48 << 10;

  std::uint64_t position() const { return position_; }
  /// Whether a member of gzip follows; whatever else does is not read, as gzip does not.
  bool starts_member() const;
  /// Whether anything follows what was read of the file.
  bool is_followed() const;
  /// Copies the next `count` bytes, fewer only at the end, and returns how many. Throws Error (data, io).
  std::size_t read(void* out, std::size_t count);
  std::uint64_t skip(std::uint64_t count);

 private:
  bool refill();

  const InputFile& file_;
  std::unique_ptr<z_stream_s> stream_;
  std::vector<unsigned char> stored_;  // what was read of the file and not used yet
  std::uint64_t next_ = 0;             // offset behind it
  std::uint64_t position_ = 0;
  bool ended_ = false;
};

}  // namespace gpuccl::io
