#include "tiff_pages.hpp"

#include <tiffio.h>

#include <cstdarg>

#include "support/test.hpp"

namespace gpuccl::io {
namespace {

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

Tiff open(const std::string& path) {
  Tiff tiff(TIFFOpen(path.c_str(), "r"), TIFFClose);
  REQUIRE(tiff != nullptr);
  return tiff;
}

std::uint32_t sample(const std::vector<std::uint8_t>& row, std::uint32_t x, std::uint16_t bits) {
  if (bits == 1) return row[x / 8] >> (7 - x % 8) & 1u;
  std::uint32_t value = 0;
  std::memcpy(&value, row.data() + std::size_t{x} * (bits / 8), bits / 8);
  return value;
}

DecodedTiffPage read_page(TIFF* tiff) {
  DecodedTiffPage page;
  const auto get = [tiff](ttag_t tag, auto& value) { TIFFGetFieldDefaulted(tiff, tag, &value); };
  get(TIFFTAG_IMAGEWIDTH, page.width);
  get(TIFFTAG_IMAGELENGTH, page.height);
  get(TIFFTAG_ROWSPERSTRIP, page.rows_per_strip);
  get(TIFFTAG_BITSPERSAMPLE, page.bits);
  get(TIFFTAG_SAMPLESPERPIXEL, page.samples);
  get(TIFFTAG_PHOTOMETRIC, page.photometric);
  get(TIFFTAG_COMPRESSION, page.compression);
  get(TIFFTAG_SAMPLEFORMAT, page.sample_format);
  get(TIFFTAG_XRESOLUTION, page.x_resolution);
  get(TIFFTAG_YRESOLUTION, page.y_resolution);

  std::vector<std::uint8_t> row(static_cast<std::size_t>(TIFFScanlineSize(tiff)));
  page.values.reserve(std::size_t{page.width} * page.height);
  for (std::uint32_t y = 0; y < page.height; ++y) {
    REQUIRE(TIFFReadScanline(tiff, row.data(), y, 0) == 1);
    for (std::uint32_t x = 0; x < page.width; ++x) page.values.push_back(sample(row, x, page.bits));
  }
  return page;
}

}  // namespace

std::vector<DecodedTiffPage> read_tiff_pages(const std::string& path) {
  int complaints = 0;
  static int* counter = nullptr;
  counter = &complaints;
  const auto count = [](const char*, const char*, va_list) { ++*counter; };
  const TIFFErrorHandler old_error = TIFFSetErrorHandler(count);
  const TIFFErrorHandler old_warning = TIFFSetWarningHandler(count);

  const Tiff tiff = open(path);
  std::vector<DecodedTiffPage> pages;
  do pages.push_back(read_page(tiff.get()));
  while (TIFFReadDirectory(tiff.get()) == 1);

  TIFFSetErrorHandler(old_error);
  TIFFSetWarningHandler(old_warning);
  CHECK(complaints == 0);
  return pages;
}

bool is_big_tiff(const std::string& path) { return TIFFIsBigTIFF(open(path).get()) != 0; }

std::uint64_t first_strip_of(const std::string& path) { return TIFFGetStrileOffset(open(path).get(), 0); }

}  // namespace gpuccl::io
