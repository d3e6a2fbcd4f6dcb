#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {

/// Reader of the bits of a stream, the least significant of each byte first. Zeros follow the end.
class BitReader {
 public:
  BitReader(std::span<const std::byte> in, std::uint64_t bit) : in_(in) { go_to(bit); }

  void go_to(std::uint64_t bit) {
    at_ = static_cast<std::size_t>(bit / 8);
    word_ = 0;
    count_ = 0;
    refill();
    drop(static_cast<unsigned>(bit % 8));
  }
  /// Makes at least 56 bits available.
  void refill() {
    if (at_ + sizeof word_ <= in_.size()) {
      std::uint64_t next;
      std::memcpy(&next, in_.data() + at_, sizeof next);
      word_ |= next << count_;
      at_ += (63 - count_) / 8;
      count_ |= 56;
    } else {
      refill_at_end();
    }
  }
  std::uint64_t bits() const { return word_; }
  void drop(unsigned count) {
    word_ >>= count;
    count_ -= count;
  }
  std::uint32_t take(unsigned count) {
    const auto bits = static_cast<std::uint32_t>(word_ & ((std::uint64_t{1} << count) - 1));
    drop(count);
    return bits;
  }
  std::uint64_t position() const { return std::uint64_t{at_} * 8 - count_; }
  bool is_past_end() const { return position() > std::uint64_t{in_.size()} * 8; }

 private:
  void refill_at_end() {
    for (; count_ <= 56; count_ += 8, ++at_)
      if (at_ < in_.size()) word_ |= std::to_integer<std::uint64_t>(in_[at_]) << count_;
  }

  std::span<const std::byte> in_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  unsigned count_ = 0;
};

/// Inflater of Deflate blocks (RFC 1951) that may start at any block. Its units are bytes, or 16 bits, which
/// can stand for an unknown byte before the first block.
class BlockInflater {
 public:
  enum class State { block_over, full, damaged };

  BlockInflater(std::span<const std::byte> in, std::uint64_t bit) : in_(in), reader_(in, bit) {}

  std::uint64_t position() const { return reader_.position(); }
  void go_to(std::uint64_t bit) { reader_.go_to(bit); }
  bool is_past_end() const { return reader_.is_past_end(); }
  /// Reads the header of a block; false if it is damaged.
  bool begin_block();
  /// True for the last block of a stream.
  bool is_last() const { return is_last_; }
  /// Inflates the rest of the block to [out, end); matches may begin at `floor`. Returns `full` if the block
  /// has more.
  template <class Unit>
  State inflate(const Unit* floor, Unit*& out, Unit* end);

  /// Returns the first bit of [begin, end) that looks like the start of a block with codes of its own.
  static std::optional<std::uint64_t> find_block(std::span<const std::byte> in, std::uint64_t begin,
                                                 std::uint64_t end);

 private:
  using Entry = std::uint32_t;
  static constexpr unsigned kLiteralBits = 11, kDistanceBits = 8, kLengthBits = 7;
  // Each table is followed by one of maximum size for every two symbols with longer codes.
  std::array<Entry, (1 << kLiteralBits) + (kLiteralSymbols / 2 << (kMaxCodeLength - kLiteralBits))> literals_;
  std::array<Entry, (1 << kDistanceBits) + (kDistanceSymbols / 2 << (kMaxCodeLength - kDistanceBits))>
      distances_;

  bool begin_stored();
  bool read_codes();
  void use_fixed_codes();
  template <unsigned bits>
  static Entry next(BitReader& reader, const Entry* table);
  template <class Unit>
  void copy_stored(Unit*& out, Unit* end);
  template <class Unit>
  static void copy_rest(Unit*& out, Unit* end, std::uint32_t& length, std::uint32_t distance);

  std::span<const std::byte> in_;
  BitReader reader_;
  bool is_last_ = false, is_stored_ = false;
  bool has_fixed_codes_ = false;             // in its tables
  std::uint32_t stored_ = 0;                 // remaining bytes of a stored block
  std::uint32_t length_ = 0, distance_ = 0;  // rest of a match that did not fit
};

}  // namespace gpuccl::io
