#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

// Weighted sums of numbers, to distinguish contents. Parts may be added in any order. All arithmetic is
// modulo 2^64.
namespace gpuccl::io {

constexpr std::uint64_t kFirstMix = 0x9e3779b97f4a7c15, kSecondMix = 0xbf58476d1ce4e5b9;

/// Returns the lower half of the product XOR its upper half.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Weights of the numbers of a block, odd and below 2^31. All blocks have the same, so that they stay in the
/// nearest cache.
struct Weights {
  static constexpr int kBlockBits = 10, kBlock = 1 << kBlockBits;

  std::array<std::uint32_t, kBlock> of{};
  std::array<std::uint64_t, kBlock + 1> before{};  // sums of the weights before each

  constexpr Weights() {
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i] = static_cast<std::uint32_t>(mix(i ^ kFirstMix, kSecondMix) >> 33) | 1;
      before[i + 1] = before[i] + of[i];
    }
  }
};
inline constexpr Weights kWeights;

/// Returns the weight of a block, odd.
constexpr std::uint64_t factor_of_block(std::uint64_t row, std::uint64_t block) {
  return mix(row ^ kFirstMix, block ^ kSecondMix) | 1;
}

/// Returns the weighted sum of the first `count` numbers of a block. They are integers of at most 32 bits in
/// the byte order of this machine, and need not be aligned.
template <class Number>
std::uint64_t weigh(const void* numbers, std::size_t count);

/// Returns 16 hexadecimal digits.
std::string hex_of(std::uint64_t number);

/// Checksum of the bytes of a file, which processes may write in any order. It detects accidents, not
/// forgery. The numbers are words of 32 bits, the low byte first, with zeros after the end. At the end, the
/// sum is mixed with the number of bytes: mix(sum ^ K1, bytes ^ K2).
class ByteSum {
 public:
  /// Adds bytes. Requires that each is added once.
  void add(std::uint64_t offset, const void* data, std::size_t bytes);
  void add(std::uint64_t sum) { sum_ += sum; }
  std::uint64_t sum() const { return sum_; }
  std::string text(std::uint64_t bytes) const { return hex_of(mix(sum_ ^ kFirstMix, bytes ^ kSecondMix)); }

 private:
  std::uint64_t sum_ = 0;
};

/// Returns ByteSum::text() of a regular file. Throws Error (no_input, io).
std::string checksum_of_file(const std::string& path);

}  // namespace gpuccl::io
