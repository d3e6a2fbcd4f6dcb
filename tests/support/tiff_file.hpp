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
  int bits = 1;
  int channels = 1;
  int sample_format = SAMPLEFORMAT_UINT;
  int photometric = PHOTOMETRIC_MINISBLACK;
  int compression = COMPRESSION_NONE;
  int fill_order = FILLORDER_MSB2LSB;
  int planar = PLANARCONFIG_CONTIG;
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
