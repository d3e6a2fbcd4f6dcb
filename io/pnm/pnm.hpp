#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

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

bool is_pnm(const InputFile& file);

/// An image in one of the formats of Netpbm: PBM, PGM or PPM, as numbers (P1 to P3) or as bytes (P4 to P6).
/// In a PBM 1 is black, so that it is min-is-white. Of several images in a file the first. Throws Error
/// (data, io, memory).
std::unique_ptr<SampleSource> open_pnm(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
