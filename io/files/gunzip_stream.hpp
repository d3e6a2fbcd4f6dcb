#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/files/inflater.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Stream of the content of a gzip file (RFC 1952) with one or several members, or of zlib data (RFC 1950),
/// from an offset of a file. A copy continues from the same position.
class GunzipStream {
 public:
  /// If little of the content is needed, pass `is_long` = false: zlib then decompresses no more than that,
  /// while ISA-L reads ahead.
  explicit GunzipStream(const InputFile& file, std::uint64_t offset = 0, bool is_long = true);
  GunzipStream(const GunzipStream& other);
  GunzipStream& operator=(const GunzipStream&) = delete;

  /// Memory of one that is read from, and of a copy that is not.
  static std::int64_t bytes() { return bytes_of_copy() + std::int64_t{kPiece}; }
  static std::int64_t bytes_of_copy() { return std::max(kZlibInflaterBytes, fast_inflater_bytes()); }

  std::uint64_t position() const { return position_; }
  /// Whether zlib decompresses it, also after ISA-L rejected it.
  bool is_by_zlib() const { return is_by_zlib_; }
  /// Whether a member of gzip follows; whatever else does is not read, as gzip does not.
  bool starts_member() const;
  /// Whether anything follows what was read of the file.
  bool is_followed() const { return here() < file_.size(); }
  /// Copies the next `count` bytes, fewer only at the end, and returns how many. Throws Error (data, io).
  std::size_t read(void* out, std::size_t count);
  std::uint64_t skip(std::uint64_t count);

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  /// Offset in the file of what is not used yet.
  std::uint64_t here() const { return next_ - (filled_ - used_); }
  void go_to(std::uint64_t here);
  bool refill();
  void begin_member();
  void refuse(const std::string& reason);

  const InputFile& file_;
  std::uint64_t offset_;
  std::unique_ptr<Inflater> inflater_;
  bool is_by_zlib_;
  std::vector<unsigned char> stored_;  // what was read of the file,
  std::size_t filled_ = 0, used_ = 0;  // so much of it
  std::uint64_t next_;                 // offset behind it
  std::uint64_t position_ = 0;
  bool ended_ = false;
};

}  // namespace gpuccl::io
