// PNG files of every colour type, made here by libpng.

#include "support/bits.hpp"
#include "support/png_file.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::noise;
using tests::same_bits;
using tests::samples_of;

namespace {

/// Written and read again.
tests::Read read(const tests::PngToWrite& png, const ReadOptions& options = {}) {
  const tests::MemoryFile file;
  write_png(file.path(), png);
  return tests::read(file.path(), options);
}

tests::PngToWrite png_of(const BitVolume& image, int bits, int color_type,
                         const std::vector<std::uint32_t>& foreground,
                         const std::vector<std::uint32_t>& background) {
  tests::PngToWrite png;
  png.width = static_cast<std::uint32_t>(image.extent().width);
  png.height = static_cast<std::uint32_t>(image.extent().height);
  png.bits = bits;
  png.color_type = color_type;
  for (const int is_foreground : samples_of(image, 1, 0)) {
    const auto& pixel = is_foreground != 0 ? foreground : background;
    png.samples.insert(png.samples.end(), pixel.begin(), pixel.end());
  }
  return png;
}

}  // namespace

TEST_CASE("grays of any depth, interlaced or not, make the same image") {
  for (const Extent extent : {Extent{1, 1, 1}, Extent{5, 3, 1}, Extent{64, 9, 1}, Extent{131, 70, 1}}) {
    const BitVolume image = noise(extent, 1);
    for (const int bits : {1, 2, 4, 8, 16})
      for (const bool interlaced : {false, true}) {
        tests::PngToWrite png = png_of(image, bits, PNG_COLOR_TYPE_GRAY, {1}, {0});
        png.interlaced = interlaced;
        CAPTURE(extent.width, bits, interlaced);
        const tests::Read result = read(png);
        REQUIRE(same_bits(result.image, image));
        REQUIRE(result.info.bits_per_sample == bits);
        REQUIRE(result.info.format == "png");
        REQUIRE(result.info.photometric == "min-is-black");
        REQUIRE(result.warnings.empty());
      }
  }
}

TEST_CASE("an index of a PNG is foreground if its color is not black") {
  const BitVolume image = noise({70, 30, 1}, 4);
  for (const int bits : {1, 2, 4, 8})
    for (const bool interlaced : {false, true}) {
      tests::PngToWrite png = png_of(image, bits, PNG_COLOR_TYPE_PALETTE, {0}, {1});
      png.palette = {{0, 0, 2}, {0, 0, 0}};
      png.interlaced = interlaced;
      CAPTURE(bits, interlaced);
      REQUIRE(same_bits(read(png).image, image));
      png.more = [](png_structp writer, png_infop info) {
        const png_byte alpha = 0;
        png_set_tRNS(writer, info, &alpha, 1, nullptr);
      };
      const tests::Read transparent = read(png);
      REQUIRE(same_bits(transparent.image, image));
      REQUIRE(transparent.warnings == std::vector<std::string>{"transparency ignored"});
    }
}

TEST_CASE("a palette of a PNG in which every index is its own gray is none") {
  const BitVolume image = noise({70, 30, 1}, 4);
  tests::PngToWrite png = png_of(image, 8, PNG_COLOR_TYPE_PALETTE, {180}, {40});
  for (int i = 0; i < 256; ++i) {
    const auto gray = static_cast<png_byte>(i);
    png.palette.push_back({gray, gray, gray});
  }
  const tests::Read result = read(png, tests::Options().above(100));
  REQUIRE(same_bits(result.image, image));
  REQUIRE(result.info.photometric == "min-is-black");
  REQUIRE(result.warnings.empty());
}

TEST_CASE("the resolution of a PNG is one a TIFF can state") {
  tests::PngToWrite png = png_of(noise({7, 3, 1}, 6), 1, PNG_COLOR_TYPE_GRAY, {1}, {0});
  png.more = [](png_structp writer, png_infop info) {
    png_set_pHYs(writer, info, 11811, 5906, PNG_RESOLUTION_METER);
  };
  const Resolution resolution = read(png).info.geometry.resolution;
  REQUIRE(resolution.x == Approx(118.11));
  REQUIRE(resolution.y == Approx(59.06));
  REQUIRE(resolution.unit == ResolutionUnit::centimetre);
  png.more = nullptr;
  REQUIRE(!read(png).info.geometry.resolution.is_known());
}

TEST_CASE("missing rows of a PNG get a warning of libpng") {
  tests::PngToWrite png = png_of(noise({7, 3, 1}, 6), 1, PNG_COLOR_TYPE_GRAY, {1}, {0});
  png.more = [](png_structp writer, png_infop info) {
    png_set_pHYs(writer, info, 11811, 5906, PNG_RESOLUTION_METER);
  };
  const tests::MemoryFile file;
  write_png(file.path(), png);
  std::string content = read_file(file.path());
  content[content.find("pHYs") + 4] ^= 1;  // and its checksum is wrong
  const tests::Read damaged = tests::read_bytes(content);
  REQUIRE(!damaged.info.geometry.resolution.is_known());
  REQUIRE(damaged.warnings.size() == 1);
  REQUIRE(damaged.warnings[0].starts_with("libpng: "));
}

TEST_CASE("only slice 0 of a PNG is there to be read, into a volume with other things in it") {
  const BitVolume image = noise({70, 30, 1}, 7);
  const tests::MemoryFile file;
  write_png(file.path(), png_of(image, 1, PNG_COLOR_TYPE_GRAY, {1}, {0}));
  const auto reader = open_reader(file.path(), {});
  for (int repetition = 0; repetition < 2; ++repetition) {
    BitVolume into({70, 30, 1});
    std::fill_n(into.row(0), into.bytes() / 4, ~0u);
    reader->read(0, 1, into);
    REQUIRE(same_bits(into, image));
  }
}
