#pragma once

#include <png.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tests {

/// A PNG to be written by a test, by libpng itself.
struct PngToWrite {
  std::uint32_t width = 0, height = 0;
  int bits = 1;
  int color_type = PNG_COLOR_TYPE_GRAY;
  bool interlaced = false;
  std::vector<png_color> palette;
  /// The samples, channel after channel of a pixel, row by row.
  std::vector<std::uint32_t> samples;
  /// Sets further chunks.
  std::function<void(png_structp png, png_infop info)> more;
};

void write_png(const std::string& path, const PngToWrite& image);

/// A PNG file put together by hand: the signature and these chunks, with right checksums. Each is a name of
/// four letters and its data.
std::string png_of_chunks(const std::vector<std::pair<std::string, std::string>>& chunks);

/// The data of IHDR.
std::string png_header(std::uint32_t width, std::uint32_t height, int bits, int color_type,
                       int interlace = 0);

}  // namespace tests
