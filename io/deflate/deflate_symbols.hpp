#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gpuccl::io {

/// The checksum of zlib streams, computed from sums of their pieces instead of from bytes.
class Adler32 {
 public:
  static constexpr std::uint64_t kModulus = 65521;

  Adler32() = default;
  explicit Adler32(std::uint32_t value) : first_(value & 0xffff), second_(value >> 16) {}

  /// Appends `count` bytes b_0, b_1, ...; `sum` is the sum of b_i and `weighted` that of i * b_i, possibly
  /// modulo kModulus.
  void append(std::uint64_t count, std::uint64_t sum, std::uint64_t weighted) {
    count %= kModulus;
    sum %= kModulus;
    // After byte i the second sum has had b_0 to b_i added: b_i is counted count - i times.
    second_ = (second_ + count * (first_ + sum) + kModulus - weighted % kModulus) % kModulus;
    first_ = (first_ + sum) % kModulus;
  }
  /// Appends `count` bytes with the checksum `other`.
  void append(std::uint64_t count, const Adler32& other) {
    second_ = (second_ + other.second_ + count % kModulus * (first_ + kModulus - 1)) % kModulus;
    first_ = (first_ + other.first_ + kModulus - 1) % kModulus;
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>(second_ << 16 | first_); }

 private:
  std::uint64_t first_ = 1, second_ = 0;
};

static_assert(std::endian::native == std::endian::little, "bits are stored 64 at a time");

/// Bits to write.
struct Bits {
  std::uint64_t bits = 0;
  int count = 0;

  void add(std::uint64_t more, int length) {
    bits |= more << count;
    count += length;
  }
};

/// Writes bits in the order of Deflate, the first in the least significant position. There must be room for
/// kSlack bytes after the last one.
class BitWriter {
 public:
  static constexpr std::size_t kSlack = 8;

  explicit BitWriter(std::byte* out) : begin_(out), at_(out) {}

  /// Writes at most 56 bits.
  void put(std::uint64_t bits, int count) {
    waiting_ |= bits << count_;
    count_ += count;
    std::memcpy(at_, &waiting_, sizeof waiting_);
    at_ += count_ / 8;
    waiting_ >>= count_ / 8 * 8;
    count_ %= 8;
  }
  /// Writes zeros up to the next byte.
  void align() {
    if (count_ != 0) put(0, 8 - count_);
  }
  /// Returns the number of complete bytes.
  std::size_t bytes() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* at_;
  std::uint64_t waiting_ = 0;
  int count_ = 0;
};

// Alphabets of compressed blocks (RFC 1951, 3.2.5): one for literals and lengths, another one for
// distances.

inline constexpr std::uint32_t kMinMatch = 3, kMaxMatch = 258;
/// Shortening of a match that is one or two bytes too long, so that the rest has the minimum length.
inline constexpr std::uint32_t kShorterMatch = kMaxMatch - kMinMatch;
inline constexpr int kMaxCodeLength = 15;
inline constexpr std::int64_t kWindow = 32768;  // the farthest distance

inline constexpr std::size_t kEndOfBlock = 256, kFirstLength = 257;
inline constexpr std::size_t kLiteralSymbols = 286, kDistanceSymbols = 30;

/// The alphabet of code lengths in the header of a block, and the order in which the header has them.
inline constexpr std::size_t kLengthSymbols = 19;
inline constexpr std::array<std::uint8_t, kLengthSymbols> kLengthOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                          11, 4,  12, 3, 13, 2, 14, 1, 15};

/// A symbol for several values, which `bits` extra bits distinguish.
struct Symbol {
  std::size_t number = 0;
  int bits = 0;
  std::uint32_t extra = 0;
};

/// Returns the symbol of a length: from 11 on in groups of four with one more extra bit each; 258 is alone.
constexpr Symbol length_symbol(std::uint32_t length) {
  if (length == kMaxMatch) return {kFirstLength + 28, 0, 0};
  const std::uint32_t from = length - kMinMatch;
  int bits = 0;
  while (from >> bits >= 8) ++bits;
  return {kFirstLength + static_cast<std::size_t>(4 * bits) + (from >> bits), bits,
          from & ((1u << bits) - 1)};
}

/// Returns the symbol of distances 1 to 32768: from 5 on groups of two.
constexpr Symbol distance_symbol(std::uint32_t distance) {
  const std::uint32_t from = distance - 1;
  const int bits = static_cast<int>(std::bit_width(from | 3)) - 2;
  return {static_cast<std::size_t>(2 * bits) + (from >> bits), bits, from & ((1u << bits) - 1)};
}
/// Returns the number of extra bits of a symbol.
constexpr int distance_bits(std::size_t symbol) { return symbol < 4 ? 0 : static_cast<int>(symbol / 2) - 1; }

static_assert(length_symbol(3).number == 257 && length_symbol(10).number == 264 &&
              length_symbol(11).number == 265);
static_assert(length_symbol(257).number == 284 && length_symbol(257).bits == 5 &&
              length_symbol(257).extra == 30);
static_assert(distance_symbol(4).number == 3 && distance_symbol(5).number == 4 &&
              distance_symbol(5).bits == 1);
static_assert(distance_symbol(32768).number == 29 && distance_symbol(32768).bits == 13);

// Length-limited prefix codes in the canonical form of Deflate (RFC 1951, 3.2.2).

/// Finds the code lengths of a prefix code (Huffman 1952) of at most `max_length` bits. Symbols of frequency
/// 0 get length 0; at least two others are required. The code is then complete, which strict decoders
/// require.
void find_code_lengths(std::span<const std::uint32_t> frequencies, int max_length,
                       std::span<std::uint8_t> lengths);

/// Assigns Deflate's codes of these lengths, with their bits in the order of writing.
void assign_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes);

/// A complete code has two symbols at least.
template <std::size_t size>
void make_complete(std::array<std::uint32_t, size>& frequencies) {
  auto used = std::count_if(frequencies.begin(), frequencies.end(), [](std::uint32_t f) { return f != 0; });
  for (std::size_t i = 0; used < 2; ++i) {
    if (frequencies[i] != 0) continue;
    frequencies[i] = 1;
    ++used;
  }
}

/// A prefix code over `size` symbols for given frequencies.
template <std::size_t size>
struct PrefixCode {
  std::array<std::uint8_t, size> lengths{};
  std::array<std::uint16_t, size> codes{};

  PrefixCode(const std::array<std::uint32_t, size>& frequencies, int max_length) {
    find_code_lengths(frequencies, max_length, lengths);
    assign_codes(lengths, codes);
  }
  void add_to(Bits& bits, const Symbol& symbol) const {
    bits.add(codes[symbol.number], lengths[symbol.number]);
    bits.add(symbol.extra, symbol.bits);
  }
  /// Returns the number of bits for symbols with these frequencies.
  std::uint64_t bits(const std::array<std::uint32_t, size>& frequencies) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += std::uint64_t{frequencies[i]} * lengths[i];
    return sum;
  }
  std::size_t used() const {
    std::size_t end = size;
    while (lengths[end - 1] == 0) --end;
    return end;
  }
};

}  // namespace gpuccl::io
