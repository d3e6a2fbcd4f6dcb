#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/formats.hpp"
#include "io/image/geometry.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

namespace {

constexpr std::uint64_t kFileHeader = 14;  // bytes, before a header that begins with its own size
constexpr std::uint32_t kOldHeader = 12;   // of OS/2 1
constexpr std::uint32_t kHeader = 40;      // of Windows 3; later ones go on after it
constexpr std::uint32_t kOs2Header = 64;   // of OS/2 2, whose compressions have other numbers
constexpr std::uint32_t kLongestHeader = 124;

/// Header of a bitmap.
struct BmpHeader {
  SampleFormat format;
  std::array<std::size_t, 3> colors = {2, 1, 0};  // bytes of red, green and blue in a pixel of 24 or 32 bits
  Extent extent;
  Resolution resolution;
  int pixel_bits = 0;
  bool is_top_down = false;
  bool has_alpha = false;
  std::uint64_t pixels = 0;  // the offset of the first row that is stored

  /// Rows are stored in units of four bytes.
  std::int64_t stored_row_bytes() const {
    return (static_cast<std::int64_t>(extent.width) * pixel_bits + 31) / 32 * 4;
  }
};

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable BMP (" + why + ")");
}

/// The beginning of a file, in little-endian numbers.
class Start {
 public:
  explicit Start(const ByteSource& file) : size_(file.read_at(0, bytes_.data(), bytes_.size())) {}

  std::uint32_t number(std::uint64_t offset, std::size_t count) const {
    if (offset + count > size_) refuse("the file is truncated");
    std::uint32_t number = 0;
    for (std::size_t i = count; i-- > 0;) number = number << 8 | bytes_[static_cast<std::size_t>(offset) + i];
    return number;
  }
  std::uint32_t u8(std::uint64_t offset) const { return number(offset, 1); }
  std::uint32_t u16(std::uint64_t offset) const { return number(offset, 2); }
  std::uint32_t u32(std::uint64_t offset) const { return number(offset, 4); }

 private:
  std::array<unsigned char, kFileHeader + kLongestHeader + 16 + 4 * 256> bytes_;  // with masks and a palette
  std::size_t size_;
};

/// Reads the palette. If the color of each index is the gray of a sample of that value, samples are gray.
void read_palette(const Start& start, std::uint64_t offset, std::uint64_t entry, std::uint32_t count,
                  SampleFormat& format) {
  const std::uint32_t values = 1U << format.bits;
  bool is_gray = true;
  format.palette.assign(values, 0);
  for (std::uint32_t i = 0; i < count; ++i, offset += entry) {
    const std::uint32_t blue = start.u8(offset), green = start.u8(offset + 1), red = start.u8(offset + 2);
    format.palette[i] = luma(red, green, blue);
    is_gray = is_gray && red == blue && red == green && red == i * 255 / (values - 1);
  }
  if (is_gray)
    format.palette.clear();
  else
    format.photometric = Photometric::palette;
}

/// Bit fields of whole bytes, in any order.
void read_masks(const Start& start, BmpHeader& header, std::uint64_t masks, std::uint32_t header_bytes) {
  constexpr std::uint32_t kWithAlpha = 56;
  for (std::size_t color = 0; color < 3; ++color) {
    const std::uint32_t mask = start.u32(masks + 4 * color);
    std::size_t byte = 0;
    while (byte < 4 && mask != 0xffU << 8 * byte) ++byte;
    if (byte == 4) refuse("colors in other bits than 8 each; convert it to PNG");
    header.colors[color] = byte;
  }
  const auto& [red, green, blue] = header.colors;
  if (red == green || red == blue || green == blue) refuse("colors that share their bits");
  header.has_alpha = header_bytes >= kWithAlpha && start.u32(masks + 12) != 0;
}

/// Returns the number of palette entries: that of the header, or the number of sample values. Old headers
/// have no number, and pixels may begin earlier.
std::uint32_t palette_entries(const BmpHeader& header, std::uint64_t palette, bool is_old,
                              std::uint32_t said) {
  const std::uint32_t values = 1U << header.pixel_bits;
  if (is_old && header.pixels >= palette)
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(values, (header.pixels - palette) / 3));
  return said == 0 || said > values ? values : said;
}

bool is_bmp_header_size(std::uint32_t bytes) {
  constexpr std::array<std::uint32_t, 7> kSizes = {kOldHeader, kHeader,       52, 56, kOs2Header,
                                                   108,        kLongestHeader};
  return std::find(kSizes.begin(), kSizes.end(), bytes) != kSizes.end();
}

BmpHeader read_bmp_header(const ByteSource& file, const Limits& limits) {
  const Start start(file);
  BmpHeader header;
  header.pixels = start.u32(10);
  const std::uint32_t bytes = start.u32(kFileHeader);
  const bool is_old = bytes == kOldHeader;
  if (!is_bmp_header_size(bytes)) refuse(fmt::format("a header of {} bytes", bytes));
  const std::uint32_t width = is_old ? start.u16(18) : start.u32(18);
  std::int64_t height = is_old ? std::int64_t{start.u16(20)} : static_cast<std::int32_t>(start.u32(22));
  header.is_top_down = height < 0;
  if (height < 0) height = -height;
  check_page_size(width, static_cast<std::uint64_t>(height), limits);
  header.extent = {static_cast<int>(width), static_cast<int>(height), 1};
  header.pixel_bits = static_cast<int>(start.u16(is_old ? 24 : 28));

  enum Compression : std::uint32_t { none = 0, rle8 = 1, rle4 = 2, bit_fields = 3, alpha_bit_fields = 6 };
  const std::uint32_t compression = is_old ? std::uint32_t{none} : start.u32(30);
  const bool has_fields = compression == bit_fields || compression == alpha_bit_fields;
  if (compression == rle8 || compression == rle4) refuse("compressed by RLE; convert it to PNG");
  if (compression != none && !(has_fields && header.pixel_bits == 32 && bytes != kOs2Header))
    refuse(fmt::format("compression {}; convert it to PNG", compression));
  const int bits = header.pixel_bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 24 && bits != 32)
    refuse(fmt::format("{} bits per pixel; convert it to PNG", bits));
  constexpr std::uint64_t kMasks = 12;  // bytes, which later headers include
  std::uint64_t end = kFileHeader + bytes + (has_fields && bytes == kHeader ? kMasks : 0);
  if (has_fields) read_masks(start, header, kFileHeader + kHeader, bytes);
  if (bits <= 8) {
    header.format.bits = bits;
    const std::uint64_t entry = is_old ? 3 : 4;
    const std::uint32_t entries = palette_entries(header, end, is_old, is_old ? 0 : start.u32(46));
    read_palette(start, end, entry, entries, header.format);
    end += entry * entries;
  } else {
    header.format.channels = 3;
    header.format.photometric = Photometric::rgb;
  }
  if (header.pixels < end) refuse("damaged: its pixels begin before the end of its header and palette");
  constexpr double kCentimetres = 100;  // in a metre
  if (!is_old && start.u32(38) > 0 && start.u32(42) > 0)
    header.resolution = {start.u32(38) / kCentimetres, start.u32(42) / kCentimetres,
                         ResolutionUnit::centimetre};
  return header;
}

class BmpSource final : public SampleSource {
 public:
  BmpSource(std::shared_ptr<const InputFile> file, const ReadOptions& options)
      : file_(std::move(file)), header_(read_bmp_header(*file_, options.limits)) {
    describe("bmp", header_.extent, header_.format);
    info_.geometry.resolution = header_.resolution;
    const double end =
        static_cast<double>(header_.pixels) + static_cast<double>(stored_bytes()) * info_.extent.height;
    if (end > static_cast<double>(file_->size()))
      throw Error(ErrorCode::data, "the file is truncated: " + claim(end, file_->size()));
    if (end < static_cast<double>(file_->size()) && options.warn) options.warn(kBytesIgnored);
    if (header_.has_alpha && options.warn) options.warn("transparency ignored");
    check_memory(info_.extent, buffer_bytes(), options);
  }

  std::int64_t buffer_bytes() const override { return rows_at_once() * stored_bytes() + row_bytes(); }

  void decode_from_top(int, const Sink& sink) const override {
    const int height = info_.extent.height, batch = rows_at_once();
    const auto stored_row = static_cast<std::size_t>(stored_bytes());
    std::vector<std::byte> stored(stored_row * static_cast<std::size_t>(batch));
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes()));
    for (int y = 0; y < height; y += batch) {
      const int count = std::min(batch, height - y);
      const auto first = static_cast<std::uint64_t>(header_.is_top_down ? y : height - y - count);
      const std::size_t bytes = stored_row * static_cast<std::size_t>(count);
      if (file_->read_at(header_.pixels + first * stored_row, stored.data(), bytes) != bytes)
        throw Error(ErrorCode::data, "the file is truncated");
      for (int i = 0; i < count; ++i) {
        const auto place = static_cast<std::size_t>(header_.is_top_down ? i : count - 1 - i);
        take_row(&stored[place * stored_row], row);
        sink({header_.format, y + i, 1, row.data(), row.size()});
      }
    }
  }

 private:
  std::int64_t stored_bytes() const { return header_.stored_row_bytes(); }
  std::int64_t row_bytes() const { return header_.format.row_bytes(info_.extent.width); }
  int rows_at_once() const {
    constexpr std::int64_t kBytes = std::int64_t{1} << 18;
    return static_cast<int>(std::clamp<std::int64_t>(kBytes / stored_bytes(), 1, info_.extent.height));
  }

  void take_row(const std::byte* stored, std::vector<std::byte>& row) const {
    if (header_.format.channels == 1) {
      std::memcpy(row.data(), stored, row.size());
      return;
    }
    const std::size_t pixel = static_cast<std::size_t>(header_.pixel_bits) / 8;
    for (std::size_t at = 0; at < row.size(); at += 3, stored += pixel)
      for (std::size_t color = 0; color < 3; ++color) row[at + color] = stored[header_.colors[color]];
  }

  std::shared_ptr<const InputFile> file_;
  BmpHeader header_;
};

/// Two letters are too few to recognize a bitmap. Two fields after its size are 0, except in cursors, so a
/// file with other values must have a header of a known size.
bool is_bmp(const InputFile& file) {
  unsigned char start[18];
  if (file.read_at(0, start, sizeof start) != sizeof start || std::memcmp(start, "BM", 2) != 0) return false;
  const bool has_zeros = std::all_of(start + 6, start + 10, [](unsigned char byte) { return byte == 0; });
  return has_zeros || (is_bmp_header_size(start[14]) && start[15] == 0 && start[16] == 0 && start[17] == 0);
}

/// Opens an uncompressed Windows bitmap of 1, 4, 8, 24 or 32 bits (the last 8 of 32 are ignored), stored from
/// the bottom up or from the top down. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_bmp(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<BmpSource>(std::move(file), options);
}

}  // namespace

const InputFormat kBmpFormat{.word = "bmp",
                             .title = "BMP",
                             .extensions = {{{".bmp"}}},
                             .magic = {{{0, "BM"}}},
                             .is = is_bmp,
                             .open = open_bmp,
                             .is_one_image = true};

}  // namespace gpuccl::io
