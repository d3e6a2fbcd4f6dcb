#pragma once

#include <png.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// libpng's reader on an InputFile: errors become Error, and only the chunks that matter are kept.
class PngDecoder {
 public:
  /// Size limit of chunks other than pixels.
  static constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 20;
  /// Returns whether chunks of this type are ignored.
  static bool is_ignored(std::string_view type);

  explicit PngDecoder(const InputFile& file);
  ~PngDecoder();
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// Reads up to the pixels.
  void read_header();
  /// After read_header(): where in the file the first chunk of pixels begins.
  std::uint64_t pixels_offset() const { return offset_ - (end_ - begin_) - kChunkHead; }
  /// Before the first row: swaps samples of 16 bits into this machine's order. Returns the number of passes
  /// over all rows that the image takes.
  int start_rows();
  void read_row(std::byte* row);
  /// Reads what follows the pixels; damage there means that the pixels cannot be trusted.
  void finish();

  /// Returns the first warning of libpng about ignored chunks; "" if there is none.
  std::string warning() const { return warning_.data(); }

  png_structp png() const { return png_; }
  png_infop png_info() const { return info_; }

 private:
  /// libpng reports an error by a jump back to here, so `work` must not own anything.
  template <class Work>
  void guarded(Work work) {
    if (setjmp(png_jmpbuf(png_)) != 0) fail();
    work();
  }
  [[noreturn]] void fail() const;
  static void on_error(png_structp png, png_const_charp message);
  static void on_warning(png_structp png, png_const_charp message);
  static void on_read(png_structp png, png_bytep out, png_size_t count);
  bool copy(std::byte* out, std::size_t count);

  const InputFile& file_;
  static constexpr std::uint64_t kChunkHead = 8;  // length and type, which read_header() takes

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::uint64_t offset_ = 0;  // in the file, of the end of buffer_
  std::array<std::byte, 65536> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is left in buffer_
  std::optional<Error> read_failure_;
  std::array<char, 256> message_{}, warning_{};
};

}  // namespace gpuccl::io
