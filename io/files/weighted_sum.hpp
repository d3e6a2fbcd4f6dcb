#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

// Sums of numbers with weights, by which contents are told apart: they add up, in any order. All of it is
// modulo 2^64.
namespace gpuccl::io {

constexpr std::uint64_t kFirstMix = 0x9e3779b97f4a7c15, kSecondMix = 0xbf58476d1ce4e5b9;

/// The lower half of the product XOR its upper half.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Numbers are summed in blocks, of which all have the same weights: so these stay in the nearest cache. They
/// are odd and below 2^31. `before`: the sums of those before each.
struct Weights {
  static constexpr int kBlockBits = 10, kBlock = 1 << kBlockBits;

  std::array<std::uint32_t, kBlock> of{};
  std::array<std::uint64_t, kBlock + 1> before{};

  constexpr Weights() {
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i] = static_cast<std::uint32_t>(mix(i ^ kFirstMix, kSecondMix) >> 33) | 1;
      before[i + 1] = before[i] + of[i];
    }
  }
};
inline constexpr Weights kWeights;

/// The weight of a block, odd.
constexpr std::uint64_t factor_of_block(std::uint64_t row, std::uint64_t block) {
  return mix(row ^ kFirstMix, block ^ kSecondMix) | 1;
}

/// The weighted sum of the first `count` numbers of a block, integers of at most 32 bits in the order of this
/// machine that need not be aligned.
template <class Number>
std::uint64_t weigh(const void* numbers, std::size_t count);

/// 16 hexadecimal digits.
std::string hex_of(std::uint64_t number);

/// Checksum of the bytes of a file, written in whatever order and by whatever processes. It detects
/// accidents, not forgery. The numbers are words of 32 bits, the low byte first, with zeros after the end;
/// the sum is mixed with the number of bytes in the end: mix(sum ^ K1, bytes ^ K2).
class ByteSum {
 public:
  /// Each byte is added once.
  void add(std::uint64_t offset, const void* data, std::size_t bytes);
  void add(std::uint64_t sum) { sum_ += sum; }
  std::uint64_t sum() const { return sum_; }
  std::string text(std::uint64_t bytes) const { return hex_of(mix(sum_ ^ kFirstMix, bytes ^ kSecondMix)); }

 private:
  std::uint64_t sum_ = 0;
};

/// ByteSum::text() of a regular file. Throws Error (no_input, io).
std::string checksum_of_file(const std::string& path);

}  // namespace gpuccl::io
