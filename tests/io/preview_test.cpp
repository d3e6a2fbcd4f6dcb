#include "io/write/preview.hpp"

#include "io/write/contact_sheet.hpp"
#include "label_samples.hpp"
#include "png_pixels.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

/// Draws the labels of a whole image.
DecodedPng drawn(Preview preview, const MappedLabels& labels) {
  ScratchFolder folder;
  AtomicFile file(folder / "preview.png");
  reduce_for_preview(labels, labels.labels.extent(), 0, [&](const PreviewRow& row) { preview.add(row); });
  preview.write(file);
  file.commit();
  return read_png(file.path());
}

DecodedPng preview_of(const LabelImage& image, const std::vector<Label>& map = {}) {
  return drawn(Preview(image.extent()), {image, map, image.count()});
}

Rgb pixel(const DecodedPng& pixels, std::uint32_t x, std::uint32_t y) {
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
  const DecodedPng pixels = preview_of(image, mapped ? map : std::vector<Label>{});
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
  const DecodedPng pixels = preview_of(filled(extent, 5));
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
  const DecodedPng pixels = preview_of(image);
  const Rgb color = label_color(3), shown = pixel(pixels, 1000, 12);
  for (std::size_t c = 0; c < 3; ++c) CHECK(shown[c] == color[c] / 2);
  CHECK(pixel(pixels, 1000, 11) == Rgb{0, 0, 0});
}

TEST_CASE("a volume becomes a sheet of its slices") {
  LabelImage image({20, 10, 5}, 5);
  for (int z = 0; z < 5; ++z) std::fill_n(image.data() + z * 200, 200, static_cast<Label>(z + 1));
  const ContactSheet sheet = plan_contact_sheet(image.extent());
  CHECK(sheet.shown == 5);
  const DecodedPng pixels = preview_of(image);
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
  // An image that has to be halved is not small.
  for (int side = 1; side < 9000; side += 7) {
    const ContactSheet one = plan_contact_sheet({side, 10, 1});
    if (one.factor > 1) CHECK(one.width() >= 1450);
  }
}

/// Samples of 8 bits in memory; a page may be smaller than the others.
class Samples final : public SampleSource {
 public:
  /// `value(x, y, z)` for each sample.
  template <class Value>
  Samples(std::vector<Extent> pages, Value value) : pages_(std::move(pages)) {
    info_.extent = {0, 0, static_cast<int>(pages_.size())};
    for (const Extent& page : pages_) {
      info_.extent.width = std::max(info_.extent.width, page.width);
      info_.extent.height = std::max(info_.extent.height, page.height);
      const int z = static_cast<int>(samples_.size());
      std::vector<std::uint8_t>& samples = samples_.emplace_back();
      tests::for_each_element({page.width, page.height, 1}, [&](int x, int y, int) {
        samples.push_back(static_cast<std::uint8_t>(value(x, y, z)));
      });
    }
  }

  Extent slice_extent(int z) const override { return pages_[static_cast<std::size_t>(z)]; }
  std::int64_t buffer_bytes() const override { return 0; }
  void decode_from_top(int z, const Sink& sink) const override {
    const auto page = static_cast<std::size_t>(z);
    const auto pitch = static_cast<std::size_t>(pages_[page].width);
    for (int y = pages_[page].height - 1; y >= 0; --y)  // in any order
      sink({format_, y, 1,
            reinterpret_cast<const std::byte*>(samples_[page].data()) + static_cast<std::size_t>(y) * pitch,
            pitch});
  }

 private:
  std::vector<Extent> pages_;
  std::vector<std::vector<std::uint8_t>> samples_;
};

DecodedPng preview_over(const SampleSource& samples, const LabelImage& image, bool invert = false) {
  Preview preview(image.extent());
  preview.draw_image(samples, 1 << 20, invert);
  return drawn(std::move(preview), {image, {}, image.count()});
}

Rgb gray(int level) {
  const auto value = static_cast<std::uint8_t>(level);
  return {value, value, value};
}

TEST_CASE("a preview shows the image, outlines of labels, and the image through their inside") {
  const Samples samples({{40, 30, 1}}, [](int x, int, int) { return 20 + 5 * x; });
  LabelImage image = filled({40, 30, 1}, 0);
  for (int y = 5; y < 12; ++y)
    for (int x = 10; x < 30; ++x) image.data()[40 * y + x] = x < 20 ? 1 : 2;
  const DecodedPng pixels = preview_over(samples, image);
  for (std::uint32_t x = 0; x < 40; ++x) {
    const int level = static_cast<int>(std::lround(225 * 5 * x / (5.0 * 39)));
    CHECK(pixel(pixels, x, 2) == gray(level));
    for (std::uint32_t y = 5; y < 12; ++y) {
      if (x < 10 || x >= 30) continue;
      const bool edge = y == 5 || y == 11 || x == 10 || x == 19 || x == 20 || x == 29;
      const Rgb color = label_color(x < 20 ? 1 : 2), shown = pixel(pixels, x, y);
      CAPTURE(x, y);
      for (std::size_t c = 0; c < 3; ++c) {
        if (edge) CHECK(shown[c] == color[c]);
        if (!edge) CHECK(std::abs(shown[c] - (level * 135 + color[c] * 120) / 255) <= 1);
      }
    }
  }
}

TEST_CASE("the image of a reduced preview is the mean of two rows of each block") {
  const Samples samples({{5800, 60, 1}}, [](int x, int y, int) {
    return x % 2 == 0 ? 0 : y < 30 ? 225 : 75;
  });
  const DecodedPng pixels = preview_over(samples, filled({5800, 60, 1}, 0));
  REQUIRE(pixels.width == 2900);
  // Black and white are the least and the largest of means of some pixels.
  const auto upper = pixels.at(100, 3), lower = pixels.at(100, 20);
  CHECK(upper > lower);
  for (std::uint32_t x = 0; x < 2900; ++x) {
    CHECK(pixels.at(x, 3) == upper);
    CHECK(pixels.at(x, 20) == lower);
  }
}

TEST_CASE("a light image is darker than labels") {
  const Samples samples({{40, 30, 1}}, [](int x, int, int) { return x < 5 ? 0 : 255; });
  const DecodedPng pixels = preview_over(samples, filled({40, 30, 1}, 0));
  CHECK(pixel(pixels, 2, 2) == gray(0));
  CHECK(pixel(pixels, 20, 2) == gray(64));
  // Inverted, the ink is light and the paper black.
  const DecodedPng inverted = preview_over(samples, filled({40, 30, 1}, 0), true);
  CHECK(pixel(inverted, 2, 2) == gray(225));
  CHECK(pixel(inverted, 20, 2) == gray(0));
}

TEST_CASE("a line separates a smaller page from its padding") {
  const Samples samples({{30, 20, 1}, {18, 12, 1}}, [](int x, int y, int z) {
    return z == 1 ? 0 : x == 0 && y == 0 ? 255 : 100;
  });
  const LabelImage image = filled({30, 20, 2}, 0);
  const ContactSheet sheet = plan_contact_sheet(image.extent());
  const DecodedPng pixels = preview_over(samples, image);
  const auto at = [&](int x, int y) {
    return pixel(pixels, static_cast<std::uint32_t>(sheet.left(1) + x),
                 static_cast<std::uint32_t>(sheet.top(1) + y));
  };
  CHECK(at(17, 11) == gray(0));
  CHECK(at(18, 5) == gray(128));
  CHECK(at(5, 12) == gray(128));
  CHECK(at(18, 12) == gray(128));
  CHECK(at(25, 5) == gray(48));
  CHECK(at(5, 18) == gray(48));
}

TEST_CASE("numbers are those of the largest components, the first of equal ones") {
  Components components;
  for (int i = 0; i < 1000; ++i)
    components.push_back({static_cast<std::uint64_t>(i % 500 + 1),
                          {{i, 0, 0}, {i, 0, 0}},
                          {static_cast<CoordinateSum>(i) * static_cast<CoordinateSum>(i % 500 + 1), 0, 0}});
  const auto number = [](std::size_t i) { return std::uint64_t{i + 11}; };
  const std::vector<NumberedComponent> all = largest_components(components, 10, number);
  REQUIRE(all.size() == 150);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].area == 500 - i / 2);
    CHECK(all[i].label == 10 + (i % 2 == 0 ? 500 : 1000) - i / 2);
    CHECK(all[i].number == all[i].label);
    CHECK(all[i].center[0] == static_cast<int>(all[i].label) - 11);
  }
  // The counts of all parts add up to those of the whole.
  Components first, second;
  for (std::size_t i = 0; i < 1000; ++i) (i < 333 ? first : second).push_back(components[i]);
  std::vector<NumberedComponent> parts = largest_components(first, 10, number);
  const auto more = largest_components(second, 343, [](std::size_t i) { return std::uint64_t{i + 344}; });
  parts.insert(parts.end(), more.begin(), more.end());
  keep_largest(parts);
  REQUIRE(parts.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(parts[i].label == all[i].label);
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
