#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuccl::io {

/// A page of a TIFF as libtiff sees it.
struct DecodedTiffPage {
  std::uint32_t width = 0, height = 0, rows_per_strip = 0;
  std::uint16_t bits = 0, samples = 0, photometric = 0, compression = 0, sample_format = 0;
  float x_resolution = 0, y_resolution = 0;
  std::vector<std::uint32_t> values;  // row by row; 1-bit samples one a value
};

/// All pages of a TIFF written in strips. Requires that libtiff has nothing to complain about.
std::vector<DecodedTiffPage> read_tiff_pages(const std::string& path);

/// Whether offsets of the file have 64 bits.
bool is_big_tiff(const std::string& path);

/// Where the first strip of the first page begins.
std::uint64_t first_strip_of(const std::string& path);

}  // namespace gpuccl::io
