#include "png_pixels.hpp"

#include <png.h>

#include <cstdio>
#include <stdexcept>

namespace gpuccl::io {

DecodedPng read_png(const std::string& path) {
  const auto fail = [](png_structp, png_const_charp message) { throw std::runtime_error(message); };
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, fail);
  png_infop info = png_create_info_struct(png);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path);
  png_init_io(png, file);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);

  DecodedPng pixels;
  pixels.width = png_get_image_width(png, info);
  pixels.height = png_get_image_height(png, info);
  pixels.bits = png_get_bit_depth(png, info);
  pixels.channels = png_get_channels(png, info);
  if (pixels.bits < 8) png_set_packing(png);

  std::vector<png_byte> row(png_get_rowbytes(png, info) * 8);
  const std::size_t samples = std::size_t{pixels.width} * static_cast<std::size_t>(pixels.channels);
  for (std::uint32_t y = 0; y < pixels.height; ++y) {
    png_read_row(png, row.data(), nullptr);
    for (std::size_t i = 0; i < samples; ++i)
      pixels.values.push_back(pixels.bits == 16 ? static_cast<std::uint16_t>(row[i * 2] << 8 | row[i * 2 + 1])
                                                : row[i]);
  }
  png_read_end(png, nullptr);
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(file);
  return pixels;
}

}  // namespace gpuccl::io
