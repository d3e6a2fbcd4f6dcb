#include "io/write/image_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/image/bit_order.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"
#include "io/png/png.hpp"
#include "io/tiff/tiff_output.hpp"

namespace gpuccl::io {
namespace {

constexpr int kBits = 1;
constexpr int kLevel = 6;  // images are made once and read often

/// One row with the first pixel in the most significant bit.
void store_row(const std::uint32_t* words, std::byte* out, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + at / 4, sizeof word);
    word = reverse_bits_of_bytes(word);
    std::memcpy(out + at, &word, std::min(sizeof word, bytes - at));
  }
}

void store_strip(BitView image, const StripLayout& strips, std::int64_t strip, std::byte* samples) {
  const auto row_bytes = static_cast<std::size_t>(strips.row_bytes);
  for (std::int64_t i = 0; i < strips.rows(strip); ++i, samples += row_bytes)
    store_row(image.row(strips.first_row(strip) + i), samples, row_bytes);
}

void write_tiff_image(AtomicFile& file, BitView image) {
  const TiffPages pages{.strips = StripLayout(image.extent, kBits),
                        .bits_per_sample = kBits,
                        .compression = Compression::deflate,
                        .deflate_level = kLevel,
                        .resolution = {},
                        // So that nobody takes slices for pages of a scan.
                        .description = image.extent.depth > 1 ? imagej_description(image.extent, 1, {}) : ""};
  const FillStrip fill = [&](std::int64_t strip, std::byte* samples) {
    store_strip(image, pages.strips, strip, samples);
  };
  TiffFile tiff(pages);
  write_strip_file(file.descriptor(), tiff, {},
                   [&] { return std::make_unique<TiffStripEncoder>(tiff.pages(), fill); }, {});
}

void write_png_image(AtomicFile& file, BitView image) {
  if (image.extent.depth > 1)
    throw Error(Failure::usage,
                "PNG can hold only one slice, not " + std::to_string(image.extent.depth) + "; write a .tiff");
  const StripLayout strips(image.extent, kBits);
  PngOutput png(file, {.width = image.extent.width,
                       .height = image.extent.height,
                       .bits = kBits,
                       .level = kLevel,
                       .resolution = {}});
  std::vector<std::byte> samples;
  for (std::int64_t strip = 0; strip < strips.count(); ++strip) {
    samples.resize(strips.bytes(strip));
    store_strip(image, strips, strip, samples.data());
    png.write_rows(samples.data(), static_cast<std::size_t>(strips.row_bytes),
                   static_cast<std::size_t>(strips.rows(strip)));
  }
  png.finish();
}

}  // namespace

void write_image(AtomicFile& file, BitView image) {
  const std::string extension = lower_extension(file.path());
  if (extension == ".png") return write_png_image(file, image);
  if (extension == ".tif" || extension == ".tiff") return write_tiff_image(file, image);
  throw Error(Failure::usage, "has the wrong extension for a binary image; use .tiff, .tif or .png");
}

}  // namespace gpuccl::io
