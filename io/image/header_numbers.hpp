#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuccl::io {

/// Returns the first bytes of a file, or of what gzip compressed; fewer if there are no more.
template <class File>
std::vector<std::byte> start_of(const File& file, std::size_t bytes) {
  std::vector<std::byte> start(bytes);
  if constexpr (requires { file.read_start(start.data(), bytes); })
    start.resize(file.read_start(start.data(), bytes));
  else
    start.resize(file.read_at(0, start.data(), bytes));
  return start;
}

/// Numbers of a binary header. The header must outlive it.
class HeaderNumbers {
 public:
  /// `swapped`: numbers are big-endian.
  explicit HeaderNumbers(std::span<const std::byte> header, bool swapped = false)
      : header_(header), swapped_(swapped) {}

  bool swapped() const { return swapped_; }
  void swap() { swapped_ = !swapped_; }

  /// Return an integer with a sign, and one without.
  std::int64_t whole(std::size_t at, std::size_t bytes = 4) const {
    const int unused = static_cast<int>(64 - 8 * bytes);
    return static_cast<std::int64_t>(natural(at, bytes) << unused) >> unused;
  }
  std::uint64_t natural(std::size_t at, std::size_t bytes = 4) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value |= std::to_integer<std::uint64_t>(header_[at + (swapped_ ? bytes - 1 - i : i)]) << 8 * i;
    return value;
  }
  /// Returns a number of 4 or 8 bytes.
  double real(std::size_t at, std::size_t bytes = 4) const {
    const std::uint64_t stored = natural(at, bytes);
    return bytes == 8 ? std::bit_cast<double>(stored)
                      : double{std::bit_cast<float>(static_cast<std::uint32_t>(stored))};
  }

 private:
  std::span<const std::byte> header_;
  bool swapped_;
};

/// A little-endian header of zeros, to be filled in.
class HeaderWriter {
 public:
  explicit HeaderWriter(std::size_t bytes) : bytes_(bytes) {}

  void whole(std::size_t at, std::size_t bytes, std::uint64_t value) {
    for (std::size_t i = 0; i < bytes; ++i) bytes_[at + i] = static_cast<std::byte>(value >> 8 * i & 0xff);
  }
  /// Writes a number of 4 or 8 bytes.
  void real(std::size_t at, std::size_t bytes, double value) {
    whole(at, bytes,
          bytes == 8 ? std::bit_cast<std::uint64_t>(value)
                     : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  void text(std::size_t at, std::string_view value) {
    std::memcpy(bytes_.data() + at, value.data(), value.size());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace gpuccl::io
