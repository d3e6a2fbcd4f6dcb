#pragma once

#include <tiffio.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tests {

/// A page of a TIFF to be written by a test, by libtiff itself.
struct TiffPageToWrite {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1;
  std::uint16_t channels = 1;
  std::uint16_t sample_format = SAMPLEFORMAT_UINT;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t compression = COMPRESSION_NONE;
  std::uint16_t fill_order = FILLORDER_MSB2LSB;
  std::uint16_t planar = PLANARCONFIG_CONTIG;
  std::uint32_t rows_per_strip = 0;  // 0: one strip
  std::uint32_t tile_size = 0;       // 0: strips
  /// The samples, channel after channel of a pixel, row by row; floats as their bits.
  std::vector<std::uint64_t> samples;
  /// Sets further tags.
  std::function<void(TIFF* tiff)> more;
};

/// `mode` is libtiff's: "w" and the letters for byte order and BigTIFF. Throws if libtiff does not like it.
void write_tiff(const std::string& path, const std::vector<TiffPageToWrite>& pages, const char* mode = "w");

}  // namespace tests
