#include "io/write/preview.hpp"

#include <algorithm>
#include <set>

#include "io/write/contact_sheet.hpp"
#include "io/write/label_color.hpp"
#include "label_samples.hpp"
#include "png_pixels.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl::io {
namespace {

PngPixels preview_of(const LabelImage& image, const std::vector<Label>& map = {}) {
  ScratchFolder folder;
  AtomicFile file(folder / "preview.png");
  write_preview(file, {image, map, image.count()});
  file.commit();
  return read_png(file.path());
}

Rgb pixel(const PngPixels& pixels, std::uint32_t x, std::uint32_t y) {
  const auto channel = [&](int c) { return static_cast<std::uint8_t>(pixels.at(x, y, c)); };
  return {channel(0), channel(1), channel(2)};
}

LabelImage filled(Extent extent, Label label) {
  LabelImage image(extent, label);
  std::fill_n(image.data(), extent.elements(), label);
  return image;
}

TEST_CASE("label colors can be seen and told apart") {
  CHECK(label_color(0) == Rgb{0, 0, 0});
  std::set<Rgb> colors;
  for (Label label = 1; label <= 1000; ++label) {
    const Rgb color = label_color(label);
    CHECK(*std::max_element(color.begin(), color.end()) >= 200);
    CHECK(*std::min_element(color.begin(), color.end()) <= 120);
    colors.insert(color);
  }
  CHECK(colors.size() > 990);
}

TEST_CASE("a small preview shows every element in the color of its label") {
  const LabelImage image = sample_labels({61, 47, 1}, 500);
  std::vector<Label> map(501);
  for (Label label = 1; label <= 500; ++label) map[label] = label % 3 == 0 ? 0 : label + 7;
  const bool mapped = GENERATE(false, true);
  const PngPixels pixels = preview_of(image, mapped ? map : std::vector<Label>{});
  REQUIRE(pixels.width == 61);
  REQUIRE(pixels.height == 47);
  CHECK(pixels.channels == 3);
  for (int y = 0; y < 47; ++y)
    for (int x = 0; x < 61; ++x) {
      const Label label = image(x, y);
      const Rgb expected = label_color(mapped ? map[label] : label);
      if (pixel(pixels, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) != expected)
        FAIL("wrong color at " << x << ", " << y);
    }
}

TEST_CASE("large images become smaller by a whole factor and keep their colors") {
  const Extent extent = GENERATE(Extent{5001, 3, 1}, Extent{3, 5001, 1}, Extent{4100, 2300, 1});
  const PngPixels pixels = preview_of(filled(extent, 5));
  const int factor = (std::max(extent.width, extent.height) + 2899) / 2900;
  CHECK(static_cast<int>(pixels.width) == (extent.width + factor - 1) / factor);
  CHECK(static_cast<int>(pixels.height) == (extent.height + factor - 1) / factor);
  for (std::uint32_t y = 0; y < pixels.height; ++y)
    for (std::uint32_t x = 0; x < pixels.width; ++x)
      if (pixel(pixels, x, y) != label_color(5)) FAIL("wrong color at " << x << ", " << y);
}

TEST_CASE("a thin line stays visible when the image becomes smaller") {
  LabelImage image = filled({11600, 100, 1}, 0);
  std::fill_n(image.data() + 11600 * 50, 11600,
              3u);  // factor 4: a quarter of the pixel, at half its brightness
  const PngPixels pixels = preview_of(image);
  const Rgb color = label_color(3), shown = pixel(pixels, 1000, 12);
  for (std::size_t c = 0; c < 3; ++c) CHECK(shown[c] == color[c] / 2);
  CHECK(pixel(pixels, 1000, 11) == Rgb{0, 0, 0});
}

TEST_CASE("a volume becomes a sheet of its slices") {
  LabelImage image({20, 10, 5}, 5);
  for (int z = 0; z < 5; ++z) std::fill_n(image.data() + z * 200, 200, static_cast<Label>(z + 1));
  const ContactSheet sheet = plan_contact_sheet(image.extent());
  CHECK(sheet.shown == 5);
  const PngPixels pixels = preview_of(image);
  CHECK(static_cast<int>(pixels.width) == sheet.width());
  CHECK(static_cast<int>(pixels.height) == sheet.height());
  for (int z = 0; z < 5; ++z) {
    const int x = sheet.left(z), y = sheet.top(z);
    CHECK(pixel(pixels, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) ==
          label_color(static_cast<Label>(z + 1)));
    CHECK(pixel(pixels, static_cast<std::uint32_t>(x + 19), static_cast<std::uint32_t>(y + 9)) ==
          label_color(static_cast<Label>(z + 1)));
  }
}

TEST_CASE("a sheet that is a little wider than 2048 pixels is not halved") {
  const ContactSheet sheet = plan_contact_sheet({1030, 1000, 4});
  CHECK(sheet.factor == 1);
  CHECK(sheet.width() == 2061);
  // What has to be halved is not small for it.
  for (int side = 1; side < 9000; side += 7) {
    const ContactSheet one = plan_contact_sheet({side, 10, 1});
    if (one.factor > 1) CHECK(one.width() >= 1450);
  }
}

TEST_CASE("slices on a sheet stand under their numbers, where these fit") {
  const LabelImage image = filled({20, 10, 12}, 5);
  const ContactSheet sheet = plan_contact_sheet(image.extent());
  REQUIRE(sheet.caption_height >= 7);
  const PngPixels pixels = preview_of(image);
  const auto caption = [&](int tile) {
    std::string rows;
    for (int y = sheet.top(tile) - 6; y < sheet.top(tile) - 1; ++y, rows += '/')
      for (int x = sheet.left(tile); x < sheet.left(tile) + 7; ++x)
        rows +=
            pixel(pixels, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) == Rgb{255, 255, 255}
                ? '#'
                : '.';
    return rows;
  };
  CHECK(caption(0) == "###..../#.#..../#.#..../#.#..../###..../");
  CHECK(caption(10) == ".#..###/##..#.#/.#..#.#/.#..#.#/###.###/");
  CHECK(plan_contact_sheet({6, 10, 12}).caption_height == 0);
  CHECK(plan_contact_sheet({20, 10, 1}).caption_height == 0);
  CHECK(plan_contact_sheet({20, 20, 1000}).slice(1) == 10);
}

TEST_CASE("sheets of every extent stay within 2900 pixels") {
  const Extent extent =
      GENERATE(Extent{1, 1, 1}, Extent{2900, 2900, 1}, Extent{2901, 1, 1}, Extent{1024, 768, 165},
               Extent{16, 16, 100}, Extent{16, 16, 101}, Extent{3000, 10, 7}, Extent{10, 3000, 1000},
               Extent{1, 1, 2147483647}, Extent{2147483647, 2147483647, 2147483647});
  const ContactSheet sheet = plan_contact_sheet(extent);
  CAPTURE(extent.width, extent.height, extent.depth, sheet.factor, sheet.columns, sheet.rows);
  CHECK(sheet.width() <= 2900);
  CHECK(sheet.height() <= 2900);
  CHECK(sheet.shown <= 100);
  CHECK(sheet.columns * sheet.rows >= sheet.shown);
  CHECK((sheet.shown - 1) * std::int64_t{sheet.slice_step} < extent.depth);
  CHECK(sheet.tile_width * std::int64_t{sheet.factor} >= extent.width);
  CHECK(sheet.tile_height * std::int64_t{sheet.factor} >= extent.height);
  if (extent == Extent{2900, 2900, 1}) CHECK(sheet.factor == 1);
  if (extent == Extent{16, 16, 100}) CHECK(sheet.factor == 1);
}

}  // namespace
}  // namespace gpuccl::io
