#pragma once

#include <png.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Filter type, the byte before every row of a PNG.
enum class PngFilter : std::uint8_t { none, sub, up, average, paeth };

/// Returns whether a row can be restored without the one above.
inline bool is_independent(PngFilter filter) { return filter <= PngFilter::sub; }

/// Restores a row of `bytes` bytes in place. `above`: the restored row above, or null for the first one;
/// `pixel_bytes`: the bytes of a pixel, at least 1: 1, 2, 3, 4, 6 or 8.
void restore_row(PngFilter filter, std::size_t pixel_bytes, std::size_t bytes, const std::uint8_t* above,
                 std::uint8_t* row);

/// Storage of the pixels of a PNG without interlacing: consecutive rows, each after a byte with its filter
/// type.
struct PngLayout {
  std::size_t pixel_bytes = 1;  // at least 1
  std::size_t row_bytes = 0;    // without the filter type
  std::size_t height = 0;

  std::size_t pitch() const { return row_bytes + 1; }
  std::size_t bytes() const { return pitch() * height; }
};

/// The pixels of a PNG, inflated in one piece: several times as fast as row by row in libpng.
class PngPixels {
 public:
  /// Reads the file from the header of its first IDAT chunk on. Returns none if anything is unusual or memory
  /// is short; then read it with libpng, which reports errors. Throws Error (io).
  static std::optional<PngPixels> inflate(const InputFile& file, std::uint64_t offset,
                                          const PngLayout& layout);
  /// Returns the maximum memory of inflate().
  static std::uint64_t most_bytes(const InputFile& file, const PngLayout& layout);

  /// Returns whether rows from `row` on can be restored before those above.
  bool is_independent(std::size_t row) const { return io::is_independent(filter(row)); }
  /// Undoes the filters of rows [begin, end), of which the first is independent or follows restored ones.
  void restore(std::size_t begin, std::size_t end);
  std::byte* row(std::size_t row) { return data_.get() + row * layout_.pitch() + 1; }
  /// Frees the memory of rows [begin, end).
  void forget(std::size_t begin, std::size_t end);

 private:
  PngPixels(const PngLayout& layout, std::unique_ptr<std::byte[]> data)
      : layout_(layout), data_(std::move(data)) {}
  PngFilter filter(std::size_t row) const { return static_cast<PngFilter>(data_[row * layout_.pitch()]); }

  PngLayout layout_;
  std::unique_ptr<std::byte[]> data_;
};

/// libpng's reader on an InputFile. Converts errors to Error, and keeps only the chunks that matter.
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
  /// Returns the offset of the first chunk of pixels. Call it after read_header().
  std::uint64_t pixels_offset() const { return offset_ - (end_ - begin_) - kChunkHead; }
  /// Call it before the first row. Makes libpng swap samples of 16 bits into this machine's order. Returns
  /// the number of passes over all rows.
  int start_rows();
  void read_row(std::byte* row);
  /// Reads what follows the pixels; damage there means that the pixels cannot be trusted.
  void finish();

  /// Returns the first warning of libpng about ignored chunks; "" if there is none.
  std::string warning() const { return warning_.data(); }

  png_structp png() const { return png_; }
  png_infop png_info() const { return info_; }

 private:
  /// Runs `work`. libpng reports an error by a jump back to here, so `work` must not own anything.
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
