#include "io/bmp/bmp_source.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/bmp/bmp_header.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_source.hpp"

namespace gpuccl::io {
namespace {

class BmpSource final : public SampleSource {
 public:
  BmpSource(std::shared_ptr<const InputFile> file, const ReadOptions& options)
      : file_(std::move(file)), header_(read_bmp_header(*file_, options.limits)) {
    info_.format = "bmp";
    info_.extent = header_.extent;
    info_.bits_per_sample = header_.format.bits;
    info_.photometric = name_of(header_.format.photometric);
    info_.geometry.resolution = header_.resolution;
    const double end =
        static_cast<double>(header_.pixels) + static_cast<double>(stored_bytes()) * info_.extent.height;
    if (end > static_cast<double>(file_->size()))
      throw Error(Failure::data, "the file is truncated: " + claim(end, file_->size()));
    if (end < static_cast<double>(file_->size()) && options.warn) options.warn(kBytesIgnored);
    if (header_.has_alpha && options.warn) options.warn("transparency ignored");
    check_memory(info_.extent, buffer_bytes(), options);
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return header_.format; }
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
        throw Error(Failure::data, "the file is truncated");
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
  ImageInfo info_;
};

}  // namespace

/// Two letters are too few to know a bitmap by. Two fields after its size are 0 but for a cursor's, so a file
/// with others has to have a header of a known size.
bool is_bmp(const InputFile& file) {
  unsigned char start[18];
  if (file.read_at(0, start, sizeof start) != sizeof start || std::memcmp(start, "BM", 2) != 0) return false;
  const bool has_zeros = std::all_of(start + 6, start + 10, [](unsigned char byte) { return byte == 0; });
  return has_zeros || (is_bmp_header_size(start[14]) && start[15] == 0 && start[16] == 0 && start[17] == 0);
}

std::unique_ptr<SampleSource> open_bmp(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<BmpSource>(std::move(file), options);
}

}  // namespace gpuccl::io
