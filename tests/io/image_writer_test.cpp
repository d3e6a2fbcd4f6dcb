#include <tiffio.h>

#include "io/read/reader.hpp"
#include "io/write/label_writer.hpp"
#include "png_pixels.hpp"
#include "support/test.hpp"
#include "tiff_pages.hpp"

namespace gpuccl::io {
namespace {

void save(const std::string& path, const BitVolume& image) {
  AtomicFile file(path);
  write_image(file, image.view());
  file.commit();
}

template <class Value>
void expect_slice(const BitVolume& image, int z, const std::vector<Value>& values) {
  const Extent& extent = image.extent();
  REQUIRE(values.size() == static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(extent.height));
  std::size_t i = 0;
  for (int y = 0; y < extent.height; ++y)
    for (int x = 0; x < extent.width; ++x)
      if ((values[i++] != 0) != image(x, y, z)) FAIL("wrong at " << x << ", " << y << ", " << z);
}

TEST_CASE("1-bit PNGs hold the image") {
  ScratchFolder folder;
  for (const Extent extent : tests::awkward_extents_2d()) {
    const BitVolume image = tests::random_image(extent, 0.4, 1, 7);
    save(folder / "image.png", image);
    const DecodedPng pixels = read_png(folder / "image.png");
    CAPTURE(tests::to_string(extent));
    CHECK(pixels.bits == 1);
    CHECK(pixels.channels == 1);
    expect_slice(image, 0, pixels.values);
  }
}

TEST_CASE("1-bit TIFFs hold the image or volume") {
  ScratchFolder folder;
  std::vector<Extent> extents = tests::awkward_extents_2d();
  for (const Extent extent : tests::awkward_extents_3d()) extents.push_back(extent);
  extents.push_back({4099, 2100, 2});  // more than one strip a page
  for (const Extent extent : extents) {
    const BitVolume image = tests::random_image(extent, 0.4, 1, 7);
    save(folder / "image.tif", image);
    const std::vector<DecodedTiffPage> pages = read_tiff_pages(folder / "image.tif");
    CAPTURE(tests::to_string(extent));
    REQUIRE(pages.size() == static_cast<std::size_t>(extent.depth));
    for (int z = 0; z < extent.depth; ++z) {
      const DecodedTiffPage& page = pages[static_cast<std::size_t>(z)];
      CHECK(page.bits == 1);
      CHECK(page.photometric == PHOTOMETRIC_MINISBLACK);
      CHECK(page.compression == COMPRESSION_ADOBE_DEFLATE);
      expect_slice(image, z, page.values);
    }
  }
}

}  // namespace
}  // namespace gpuccl::io
