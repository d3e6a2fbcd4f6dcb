#pragma once

#include <cstdint>

namespace gpuccl::io {

/// The checksum of zlib streams, of pieces of which sums are known rather than bytes.
class Adler32 {
 public:
  static constexpr std::uint64_t kModulus = 65521;

  Adler32() = default;
  explicit Adler32(std::uint32_t value) : first_(value & 0xffff), second_(value >> 16) {}

  /// `count` bytes b_0, b_1, ... of which `sum` is the sum of b_i and `weighted` that of i * b_i, or what
  /// they leave modulo kModulus.
  void append(std::uint64_t count, std::uint64_t sum, std::uint64_t weighted) {
    count %= kModulus;
    sum %= kModulus;
    // After byte i the second sum has had b_0 to b_i added: b_i is counted count - i times.
    second_ = (second_ + count * (first_ + sum) + kModulus - weighted % kModulus) % kModulus;
    first_ = (first_ + sum) % kModulus;
  }
  /// The `count` bytes that have the checksum `other`.
  void append(std::uint64_t count, const Adler32& other) {
    second_ = (second_ + other.second_ + count % kModulus * (first_ + kModulus - 1)) % kModulus;
    first_ = (first_ + other.first_ + kModulus - 1) % kModulus;
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>(second_ << 16 | first_); }

 private:
  std::uint64_t first_ = 1, second_ = 0;
};

}  // namespace gpuccl::io
