#include "support/tiff_file.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace tests {
namespace {

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("libtiff cannot write a test's file: ") + what);
}

/// `count` samples, `step` apart, in the order in which libtiff takes them.
std::vector<std::uint8_t> packed(const std::uint64_t* samples, std::size_t count, std::size_t step,
                                 unsigned bits) {
  std::vector<std::uint8_t> bytes((count * bits + 7) / 8);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t sample = samples[i * step];
    if (bits % 8 == 0) {
      std::memcpy(bytes.data() + i * bits / 8, &sample, bits / 8);
      continue;
    }
    for (unsigned bit = 0; bit < bits; ++bit) {
      const std::size_t at = i * bits + bit;
      if ((sample >> (bits - 1 - bit) & 1) != 0)
        bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | 128 >> at % 8);
    }
  }
  return bytes;
}

void write_strips(TIFF* tiff, const TiffPageToWrite& page) {
  const bool separate = page.planar == PLANARCONFIG_SEPARATE;
  const auto channels = static_cast<unsigned>(page.channels);
  for (unsigned plane = 0; plane < (separate ? channels : 1u); ++plane)
    for (std::uint32_t y = 0; y < page.height; ++y) {
      const std::uint64_t* row = page.samples.data() + std::size_t{y} * page.width * channels + plane;
      auto bytes = separate ? packed(row, page.width, channels, page.bits)
                            : packed(row, std::size_t{page.width} * channels, 1, page.bits);
      require(TIFFWriteScanline(tiff, bytes.data(), y, static_cast<std::uint16_t>(plane)) == 1, "a row");
    }
}

/// Pixels of a tile outside the image are all ones, so that a reader that looks at them is found out.
void write_tiles(TIFF* tiff, const TiffPageToWrite& page) {
  const std::uint32_t size = page.tile_size;
  const bool separate = page.planar == PLANARCONFIG_SEPARATE;
  const auto channels = static_cast<unsigned>(page.channels);
  for (unsigned plane = 0; plane < (separate ? channels : 1u); ++plane)
    for (std::uint32_t y = 0; y < page.height; y += size)
      for (std::uint32_t x = 0; x < page.width; x += size) {
        std::vector<std::uint8_t> tile;
        for (std::uint32_t row = y; row < y + size; ++row) {
          std::vector<std::uint64_t> samples;
          for (std::uint32_t column = x; column < x + size; ++column)
            for (unsigned channel = 0; channel < channels; ++channel) {
              if (separate && channel != plane) continue;
              const bool inside = row < page.height && column < page.width;
              samples.push_back(
                  inside ? page.samples[(std::size_t{row} * page.width + column) * channels + channel]
                         : ~std::uint64_t{0});
            }
          const auto bytes = packed(samples.data(), samples.size(), 1, page.bits);
          tile.insert(tile.end(), bytes.begin(), bytes.end());
        }
        require(TIFFWriteTile(tiff, tile.data(), x, y, 0, static_cast<std::uint16_t>(plane)) > 0, "a tile");
      }
}

}  // namespace

void write_tiff(const std::string& path, const std::vector<TiffPageToWrite>& pages, const char* mode) {
  const std::unique_ptr<TIFF, void (*)(TIFF*)> file(TIFFOpen(path.c_str(), mode), TIFFClose);
  TIFF* tiff = file.get();
  require(tiff != nullptr, "the file");
  for (const TiffPageToWrite& page : pages) {
    require(
        page.samples.size() == std::size_t{page.width} * page.height * static_cast<unsigned>(page.channels),
        "the samples");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, page.width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, page.height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, page.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, page.channels);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, page.sample_format);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, page.compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, page.photometric);
    TIFFSetField(tiff, TIFFTAG_FILLORDER, page.fill_order);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, page.planar);
    if (page.more) page.more(tiff);
    if (page.tile_size != 0) {
      TIFFSetField(tiff, TIFFTAG_TILEWIDTH, page.tile_size);
      TIFFSetField(tiff, TIFFTAG_TILELENGTH, page.tile_size);
      write_tiles(tiff, page);
    } else {
      TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, page.rows_per_strip != 0 ? page.rows_per_strip : page.height);
      write_strips(tiff, page);
    }
    require(TIFFWriteDirectory(tiff) == 1, "a directory");
  }
}

}  // namespace tests
