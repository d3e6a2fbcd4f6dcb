#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuccl::io {

static_assert(std::endian::native == std::endian::little, "bits are stored 64 at a time");

/// Bits as they are written.
struct Bits {
  std::uint64_t bits = 0;
  int count = 0;

  void add(std::uint64_t more, int length) {
    bits |= more << count;
    count += length;
  }
};

/// Writes bits as Deflate has them, the first in the least significant place. There must be room for
/// kSlack bytes after the last one.
class BitWriter {
 public:
  static constexpr std::size_t kSlack = 8;

  explicit BitWriter(std::byte* out) : begin_(out), at_(out) {}

  /// At most 56 bits.
  void put(std::uint64_t bits, int count) {
    waiting_ |= bits << count_;
    count_ += count;
    std::memcpy(at_, &waiting_, sizeof waiting_);
    at_ += count_ / 8;
    waiting_ >>= count_ / 8 * 8;
    count_ %= 8;
  }
  /// Zeros up to the next byte.
  void align() {
    if (count_ != 0) put(0, 8 - count_);
  }
  /// Bytes that are complete.
  std::size_t bytes() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* at_;
  std::uint64_t waiting_ = 0;
  int count_ = 0;
};

}  // namespace gpuccl::io
