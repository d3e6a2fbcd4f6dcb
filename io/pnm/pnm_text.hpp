#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/files/byte_source.hpp"

namespace gpuccl::io {

/// The words of a Netpbm file: numbers with white space and comments, from # to the end of the line, between
/// them.
class PnmText {
 public:
  PnmText(const ByteSource& file, std::uint64_t begin) : file_(file), position_(begin) {}

  /// Returns none at the end of the text, or if the next word is not a number below 2^31.
  std::optional<int> number();
  /// The next digit alone: in a PBM nothing need be between them.
  std::optional<int> digit();
  /// Returns the offset of the byte after the last number.
  std::uint64_t position() const { return position_; }

 private:
  static constexpr int kEnd = -1;

  int peek();
  void skip_blanks();

  const ByteSource& file_;
  std::uint64_t position_;
  std::uint64_t first_ = 0;  // of the bytes at hand
  std::vector<unsigned char> bytes_;
};

}  // namespace gpuccl::io
