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

/// Bits of a stream, from the least significant of each byte on. Zeros follow its end.
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
  /// Makes 56 bits available, or all.
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

/// Inflates blocks of Deflate (RFC 1951) from any of them on. It makes bytes, or units of 16 bits, in which
/// what is copied from in front of the first block can be told from what is known.
class BlockInflater {
 public:
  enum class State { block_over, full, damaged };

  BlockInflater(std::span<const std::byte> in, std::uint64_t bit) : in_(in), reader_(in, bit) {}

  std::uint64_t position() const { return reader_.position(); }
  void go_to(std::uint64_t bit) { reader_.go_to(bit); }
  bool is_past_end() const { return reader_.is_past_end(); }
  /// Reads the header of a block; false if it is damaged.
  bool begin_block();
  /// Whether the block is the last of its stream.
  bool is_last() const { return is_last_; }
  /// Makes what follows of the block in [out, end), which is behind what it may be copied from, [floor, out).
  /// `full` if there is more of it than there is room.
  template <class Unit>
  State inflate(const Unit* floor, Unit*& out, Unit* end);

  /// Returns which of the bits [begin, end) is the first that looks like the start of a block with codes of
  /// its own.
  static std::optional<std::uint64_t> find_block(std::span<const std::byte> in, std::uint64_t begin,
                                                 std::uint64_t end);

 private:
  using Entry = std::uint32_t;
  static constexpr unsigned kLiteralBits = 11, kDistanceBits = 8, kLengthBits = 7;
  // A table of kLiteralBits, and of the longest codes for each two symbols that have longer ones.
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
  std::uint32_t stored_ = 0;                 // bytes of the block that are left
  std::uint32_t length_ = 0, distance_ = 0;  // of a match for whose rest there was no room
};

}  // namespace gpuccl::io
