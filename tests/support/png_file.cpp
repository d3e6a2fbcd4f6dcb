#include "support/png_file.hpp"

#include <libdeflate.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace tests {
namespace {

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift & 255));
  return bytes;
}

[[noreturn]] void on_error(png_structp, png_const_charp message) {
  throw std::runtime_error(std::string("libpng cannot write a test's file: ") + message);
}

std::vector<std::uint8_t> packed(const std::uint32_t* samples, std::size_t count, int bits) {
  std::vector<std::uint8_t> bytes;
  unsigned byte = 0;
  int filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (bits == 16) bytes.push_back(static_cast<std::uint8_t>(samples[i] >> 8));
    if (bits >= 8) {
      bytes.push_back(static_cast<std::uint8_t>(samples[i]));
      continue;
    }
    byte = byte << bits | samples[i];
    filled += bits;
    if (filled == 8 || i + 1 == count) {
      bytes.push_back(static_cast<std::uint8_t>(byte << (8 - filled)));
      byte = 0;
      filled = 0;
    }
  }
  return bytes;
}

}  // namespace

void write_png(const std::string& path, const PngToWrite& image) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_set_IHDR(png, info, image.width, image.height, image.bits, image.color_type,
               image.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
               PNG_FILTER_TYPE_BASE);
  if (!image.palette.empty())
    png_set_PLTE(png, info, image.palette.data(), static_cast<int>(image.palette.size()));
  if (image.more) image.more(png, info);
  png_write_info(png, info);
  const std::size_t in_row = std::size_t{image.width} * png_get_channels(png, info);
  std::vector<std::vector<std::uint8_t>> rows;
  std::vector<png_bytep> pointers;
  for (std::uint32_t y = 0; y < image.height; ++y)
    rows.push_back(packed(image.samples.data() + y * in_row, in_row, image.bits));
  for (auto& row : rows) pointers.push_back(row.data());
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
}

std::string png_of_chunks(const std::vector<std::pair<std::string, std::string>>& chunks) {
  std::string file = "\x89PNG\r\n\x1a\n";
  for (const auto& [name, data] : chunks) {
    const std::string body = name + data;
    file += big_endian(static_cast<std::uint32_t>(data.size())) + body +
            big_endian(libdeflate_crc32(0, body.data(), body.size()));
  }
  return file;
}

std::string png_header(std::uint32_t width, std::uint32_t height, int bits, int color_type, int interlace) {
  return big_endian(width) + big_endian(height) + static_cast<char>(bits) + static_cast<char>(color_type) +
         std::string(2, '\0') + static_cast<char>(interlace);
}

}  // namespace tests
