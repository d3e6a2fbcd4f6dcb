#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Filter type, the byte before every row of a PNG.
enum class PngFilter : std::uint8_t { none, sub, up, average, paeth };

/// Whether a row can be restored without the one above.
inline bool is_independent(PngFilter filter) { return filter <= PngFilter::sub; }

/// Restores a row of `bytes` bytes in place. `above` is the row above, restored, or null for the first one;
/// `pixel_bytes` the bytes of a pixel, 1 if it has less than one: 1, 2, 3, 4, 6 or 8.
void restore_row(PngFilter filter, std::size_t pixel_bytes, std::size_t bytes, const std::uint8_t* above,
                 std::uint8_t* row);

/// Storage of the pixels of a PNG without interlacing: consecutive rows, each after a byte with its filter
/// type.
struct PngLayout {
  std::size_t pixel_bytes = 1;  // 1 if a pixel has less
  std::size_t row_bytes = 0;    // without that byte
  std::size_t height = 0;

  std::size_t pitch() const { return row_bytes + 1; }
  std::size_t bytes() const { return pitch() * height; }
};

/// The pixels of a PNG, inflated in one piece, several times as fast as libpng does it row by row.
class PngPixels {
 public:
  /// Reads the file from the header of its first IDAT chunk on. Returns none if anything in it is unusual, or
  /// memory is short: then libpng reads it, or reports the error. Throws Error (io).
  static std::optional<PngPixels> inflate(const InputFile& file, std::uint64_t offset,
                                          const PngLayout& layout);
  /// Memory that this takes at most.
  static std::uint64_t most_bytes(const InputFile& file, const PngLayout& layout);

  /// Whether rows from `row` on can be restored before those above are.
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

}  // namespace gpuccl::io
