#include "io/image_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "gpuccl/error.hpp"
#include "io/bit_order.hpp"
#include "io/deflater.hpp"
#include "io/label_writer.hpp"
#include "io/png_output.hpp"
#include "io/strips.hpp"
#include "io/tiff_output.hpp"

namespace gpuccl::io {
namespace {

constexpr int kBits = 1;
constexpr int kLevel = 6;  // images are made once and read often

struct Slot {
  std::vector<std::byte> samples;
  std::vector<std::byte> compressed;
  std::size_t compressed_bytes = 0;
  Deflater deflater{kLevel};
};

/// One row with the first pixel in the most significant bit.
void store_row(const std::uint32_t* words, std::byte* out, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + at / 4, sizeof word);
    word = reverse_bits_of_bytes(word);
    std::memcpy(out + at, &word, std::min(sizeof word, bytes - at));
  }
}

void store_strip(BitView image, const StripLayout& strips, std::int64_t strip,
                 std::vector<std::byte>& samples) {
  samples.resize(strips.bytes(strip));
  const auto row_bytes = static_cast<std::size_t>(strips.row_bytes);
  for (std::int64_t i = 0; i < strips.rows(strip); ++i)
    store_row(image.row(strips.first_row(strip) + i),
              samples.data() + static_cast<std::size_t>(i) * row_bytes, row_bytes);
}

void write_tiff(AtomicFile& file, BitView image) {
  TiffOutput tiff(file, {.strips = StripLayout(image.extent, kBits),
                         .bits_per_sample = kBits,
                         .compression = Compression::deflate,
                         .spacing = {},
                         .description = {}});
  const auto make = [&](Slot& slot, std::int64_t strip) {
    store_strip(image, tiff.strips(), strip, slot.samples);
    slot.compressed_bytes = slot.deflater.compress(slot.samples.data(), slot.samples.size(), slot.compressed);
  };
  const auto take = [&](Slot& slot, std::int64_t strip) {
    tiff.write_compressed(strip, slot.compressed.data(), slot.compressed_bytes);
  };
  for_each_strip<Slot>(tiff.strips().count(), make, take);
}

void write_png(AtomicFile& file, BitView image) {
  if (image.extent.depth > 1)
    throw Error(Failure::usage,
                "a PNG holds one slice, not " + std::to_string(image.extent.depth) + "; write a .tiff");
  const StripLayout strips(image.extent, kBits);
  PngOutput png(file, {.width = image.extent.width,
                       .height = image.extent.height,
                       .bits = kBits,
                       .level = kLevel,
                       .spacing = {}});
  std::vector<std::byte> samples;
  for (std::int64_t strip = 0; strip < strips.count(); ++strip) {
    store_strip(image, strips, strip, samples);
    png.write_rows(samples.data(), static_cast<std::size_t>(strips.row_bytes),
                   static_cast<std::size_t>(strips.rows(strip)));
  }
  png.finish();
}

}  // namespace

void write_image(AtomicFile& file, BitView image) {
  switch (label_format(file.path())) {
    case LabelFormat::tiff:
      return write_tiff(file, image);
    case LabelFormat::png:
      return write_png(file, image);
    case LabelFormat::npy:
      throw Error(Failure::usage, "binary images end in .tiff, .tif or .png");
  }
}

}  // namespace gpuccl::io
