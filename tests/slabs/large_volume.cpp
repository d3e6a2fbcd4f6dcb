#include "large_volume.hpp"

#include <tiffio.h>

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace tests {
namespace {

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

void require(bool good) {
  if (!good) throw std::runtime_error("a large volume cannot be written");
}

Tiff create(const std::string& path) {
  Tiff tiff(TIFFOpen(path.c_str(), "w8"), TIFFClose);
  require(tiff != nullptr);
  return tiff;
}

/// The rows of a volume are few different ones, which are made once.
class Rows {
 public:
  explicit Rows(const LargeVolume& volume) : volume_(volume) {}

  std::vector<std::uint8_t>& at(int y, int z) {
    const gpuccl::Extent& extent = volume_.extent;
    const bool last = extent.depth > 1 ? z == extent.depth - 1 : y == extent.height - 1;
    std::vector<std::uint8_t>& row = rows_[{y % volume_.period, z % volume_.period, last}];
    if (row.empty()) {
      row.resize(static_cast<std::size_t>(extent.width + 7) / 8);
      for (int x = 0; x < extent.width; ++x)
        if (volume_.foreground(x, y, z))
          row[static_cast<std::size_t>(x) / 8] |= static_cast<std::uint8_t>(128 >> x % 8);
    }
    return row;
  }

 private:
  struct Kind {
    int y, z;
    bool last;
    auto operator<=>(const Kind&) const = default;
  };

  const LargeVolume& volume_;
  std::map<Kind, std::vector<std::uint8_t>> rows_;
};

void write_page(TIFF* tiff, Rows& rows, const gpuccl::Extent& extent, int z) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, extent.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, extent.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 64);
  for (int y = 0; y < extent.height; ++y)
    require(TIFFWriteScanline(tiff, rows.at(y, z).data(), static_cast<std::uint32_t>(y), 0) == 1);
  require(TIFFWriteDirectory(tiff) == 1);
}

int divide_up(int a, int b) { return (a + b - 1) / b; }

}  // namespace

bool LargeVolume::foreground(int x, int y, int z) const {
  const int comb = extent.width * 3 / 4;
  if (x < comb - 1) {
    const int side = period * 5 / 8;
    return x % period < side && y % period < side && (extent.depth == 1 || z % period < side);
  }
  if (x < comb) return false;
  const bool last = extent.depth > 1 ? z == extent.depth - 1 : y == extent.height - 1;
  return last || (x % (period / 2) == 0 && (extent.depth == 1 || y % (period / 2) == 0));
}

std::uint64_t LargeVolume::components() const {
  const auto boxes = static_cast<std::uint64_t>(divide_up(extent.width * 3 / 4 - 1, period)) *
                     static_cast<std::uint64_t>(divide_up(extent.height, period)) *
                     static_cast<std::uint64_t>(divide_up(extent.depth, period));
  return boxes + 1;
}

void write_large(const std::string& path, const LargeVolume& volume) {
  Rows rows(volume);
  const Tiff tiff = create(path);
  for (int z = 0; z < volume.extent.depth; ++z) write_page(tiff.get(), rows, volume.extent, z);
}

void write_large_slices(const std::string& folder, const LargeVolume& volume) {
  std::filesystem::create_directory(folder);
  Rows rows(volume);
  for (int z = 0; z < volume.extent.depth; ++z)
    write_page(create(folder + "/" + std::to_string(z) + ".tif").get(), rows, volume.extent, z);
}

}  // namespace tests
