// Folders whose files are the slices of a volume.

#include "io/image/read_options.hpp"
#include "io/read/input_files.hpp"
#include "io/read/reader.hpp"
#include "support/bits.hpp"
#include "support/png_file.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::noise;
using tests::same_bits;
using tests::samples_of;

namespace {

void save_png(const std::string& path, const BitVolume& image, int z, int bits = 1) {
  tests::PngToWrite png;
  png.width = static_cast<std::uint32_t>(image.extent().width);
  png.height = static_cast<std::uint32_t>(image.extent().height);
  png.bits = bits;
  png.samples = samples_of<std::uint32_t>(image, 1, 0, z);
  write_png(path, png);
}

void save_tiff(const std::string& path, const BitVolume& image, int z, int pages = 1) {
  tests::TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(image.extent().width);
  page.height = static_cast<std::uint32_t>(image.extent().height);
  page.compression = COMPRESSION_CCITTFAX4;
  page.samples = samples_of<std::uint64_t>(image, 1, 0, z);
  write_tiff(path, std::vector<tests::TiffPageToWrite>(static_cast<std::size_t>(pages), page));
}

Source stack(const ScratchFolder& folder) { return {folder.path().string(), true}; }

std::string stack_refusal(const ScratchFolder& folder) {
  return gpuccl::reason_of([&] { read_image(stack(folder), {}); });
}

}  // namespace

TEST_CASE("a folder of slices is a volume in natural order of names, of either format") {
  const ScratchFolder folder;
  const BitVolume image = noise({70, 30, 12}, 1);
  for (int z = 0; z < 12; ++z) {
    const std::string name = "slice" + std::to_string(z);
    if (z % 2 == 0) save_png(folder / (name + ".png"), image, z);
    if (z % 2 != 0) save_tiff(folder / (name + ".tif"), image, z);
  }
  write_file(folder / "notes.txt", "not a slice");
  ImageInfo info;
  std::vector<std::string> lines;
  ReadOptions options;
  options.warn = [&](const std::string& line) { lines.push_back(line); };
  REQUIRE(same_bits(read_image(stack(folder), options, &info), image));
  REQUIRE(lines.size() == 2);
  REQUIRE(lines[1] ==
          "all images of the folder are slices, including 'slice0.png' and 'slice1.tif'; list the right ones "
          "in files.txt");
  REQUIRE(info.format == "stack");
  REQUIRE(info.extent == image.extent());

  std::string list;
  for (int z = 11; z >= 0; --z) list += "slice" + std::to_string(z) + (z % 2 == 0 ? ".png\n" : ".tif\n");
  write_file(folder / "files.txt", list);
  lines.clear();
  const BitVolume upside_down = read_image(stack(folder), options);
  REQUIRE(lines.empty());
  for (int z = 0; z < 12; ++z)
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 70; ++x) REQUIRE(upside_down(x, y, z) == image(x, y, 11 - z));
}

TEST_CASE("Otsu's threshold of a stack is one for all slices") {
  const ScratchFolder folder;
  const BitVolume image = noise({20, 10, 1}, 2);
  for (const unsigned level : {1u, 2u}) {
    tests::PngToWrite png;
    png.width = 20;
    png.height = 10;
    png.bits = 8;
    png.samples = samples_of<std::uint32_t>(image, level * 100, level * 100 - 10, 0);
    write_png(folder / (std::to_string(level) + ".png"), png);
  }
  ReadOptions options;
  options.foreground.otsu = true;
  ImageInfo info;
  const BitVolume read = read_image(stack(folder), options, &info);
  REQUIRE(info.foreground_rule == "otsu: value > 100");
  REQUIRE(count_foreground(read.view().slices(0, 1)) == 0);
  REQUIRE(count_foreground(read.view().slices(1, 2)) == 200);
}

TEST_CASE("slices that are not alike are refused by name") {
  const BitVolume image = noise({70, 30, 1}, 3);
  {
    const ScratchFolder folder;
    save_png(folder / "a.png", image, 0);
    save_png(folder / "b.png", noise({70, 31, 1}, 3), 0);
    REQUIRE(stack_refusal(folder) == "slice b.png is 70x31 but a.png is 70x30");
  }
  {
    const ScratchFolder folder;
    save_png(folder / "a.png", image, 0);
    save_png(folder / "b.png", image, 0, 8);
    REQUIRE(stack_refusal(folder) ==
            "slice b.png is min-is-black with 1 samples of 8 bits per pixel but a.png is "
            "min-is-black with 1 samples of 1 bits per pixel");
  }
  {
    const ScratchFolder folder;
    save_png(folder / "a.png", image, 0);
    save_tiff(folder / "b.tif", image, 0, 3);
    REQUIRE(stack_refusal(folder) == "slice b.tif contains 3 pages, not one");
  }
  {
    const ScratchFolder folder;
    save_png(folder / "a.png", image, 0);
    write_file(folder / "b.png", read_file(folder / "a.png").substr(0, 100));
    REQUIRE(stack_refusal(folder) == "slice b.png: not a valid PNG (the file is truncated)");
  }
}

TEST_CASE("a slice that goes away while the stack is read is an error") {
  const ScratchFolder folder;
  const BitVolume image = noise({70, 30, 3}, 4);
  for (int z = 0; z < 3; ++z) save_png(folder / (std::to_string(z) + ".png"), image, z);
  const auto reader = open_reader(stack(folder), {});
  BitVolume into(image.extent());
  std::filesystem::remove(folder / "1.png");
  REQUIRE(error_code_of([&] { reader->read(0, 3, into); }) == ErrorCode::no_input);
  save_png(folder / "1.png", noise({71, 30, 1}, 4), 0);
  REQUIRE(error_code_of([&] { reader->read(0, 3, into); }) == ErrorCode::data);
  reader->read(2, 3, into);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 70; ++x) REQUIRE(into(x, y, 0) == image(x, y, 2));
}

TEST_CASE("a stack keeps no slice open, also if inputs are kept for other images") {
  const ScratchFolder scratch;
  const BitVolume image = noise({9, 8, 20}, 5);
  for (int z = 0; z < 20; ++z) save_tiff(scratch / (std::to_string(z) + ".tif"), image, z);
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  ReadOptions options;
  options.kept = std::make_shared<KeptInputs>();
  const auto before = open_files();
  const auto reader = open_reader(stack(scratch), options);
  BitVolume into(image.extent());
  reader->read(0, 20, into);
  CHECK(open_files() <= before + 1);
}

TEST_CASE("a number that is missing among slices is said") {
  const auto hints = [](std::vector<std::string> names) { return slice_hints(names); };
  REQUIRE(hints({"slice_002.png", "slice_004.png", "slice_005.png"}) ==
          std::vector<std::string>{"after 'slice_002.png' comes 'slice_004.png'; check for a missing slice"});
  REQUIRE(hints({"a_z1_c0.TIF", "a_z2_c0.tiff", "a_z3_c0.tif"}).empty());
  REQUIRE(hints({"z000.png", "z010.png", "z020.png"}).empty());
  REQUIRE(hints({"z000.png", "z010.png", "z030.png"}).size() == 1);
  REQUIRE(hints({"1.png", "2.png"}).empty());
  REQUIRE(hints({"1.png"}).empty());
  REQUIRE(hints({"a1.png", "a7.png", "b2.png"}).empty());
  REQUIRE(hints({"1.png", "01.png", "3.png"}).empty());
  REQUIRE(hints({"a.png", "b.png", "c.png"}).empty());
  REQUIRE(hints({"99999999999999999999.png", "9999999999999999999999.png", "z.png"}).empty());
  REQUIRE(hints({"1.h5", "2.h5", "3.h5"}).empty());
  REQUIRE(hints({"1.png", "2.jpg", "5.png"}).size() == 2);
}
