#include "binary.hpp"
#include "support/bits.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

// Inputs larger than --memory: everything that is written is as if there were enough.
namespace gpuccl {
namespace {

BitVolume blobs(Extent extent) { return tests::generated("blobs", extent); }

tests::TiffPageToWrite page_of(const BitVolume& image, int z) {
  tests::TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(image.extent().width);
  page.height = static_cast<std::uint32_t>(image.extent().height);
  page.samples = tests::samples_of<std::uint64_t>(image, 1, 0, z);
  return page;
}

TEST_CASE("a pipe is labeled in slabs") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", blobs({200, 150, 20}).view());
  succeeds({"label", input, "-o", scratch / "labels.tif"});
  for (const char* from : {"cat \"$2\" | \"$1\" label - -o \"$3\" --memory 4M",
                           "\"$1\" label - -o \"$3\" --memory 90K <\"$2\""}) {
    Command command = gpuccl_command({});
    command.words = {"sh", "-c", from, "sh", GPUCCL_PROGRAM, input, scratch / "piped.tif"};
    const Ended ended = run(command);
    CHECK(ended.err == "");
    REQUIRE(ended.code == 0);
    CHECK((read_file(scratch / "piped.tif") == read_file(scratch / "labels.tif")));
  }
  Command command = gpuccl_command({});
  command.words = {"sh", "-c",           "cat \"$2\" | \"$1\" label - --json - --memory 2K",
                   "sh", GPUCCL_PROGRAM, input};
  fails(command, 71, "standard input: ");
}

TEST_CASE("a faulty input is named, and nothing is written") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", blobs({700, 1503, 1}).view());
  const std::string whole = read_file(input);
  const std::string output = scratch / "labels.tif";
  for (const std::size_t size : {whole.size() - 3, whole.size() - 20, whole.size() / 2, whole.size() / 10}) {
    write_file(input, whole.substr(0, size));
    fails({"label", input, "-o", output, "--memory", "50K"}, 65, "in.png: not a valid PNG");
    CHECK(count_entries(scratch.path()) == 1);
  }
  write_file(input, whole);
  fails({"label", input, "-o", output, "--memory", "600"}, 71, "in.png: needs ");
  const std::string volume = save(scratch / "in.tif", blobs({300, 300, 4}).view());
  fails({"label", volume, "-o", output, "--memory", "90K"}, 71,
        "in.tif: needs 102 KiB of memory for the smallest part");
  CHECK(count_entries(scratch.path()) == 2);
}

TEST_CASE("a few bytes that claim to be a large picture are not worth slabs") {
  const ScratchFolder scratch;
  tests::TiffPageToWrite page = page_of(BitVolume({6000, 6000, 1}), 0);
  page.compression = COMPRESSION_CCITTFAX4;  // a bit a row of nothing
  page.rows_per_strip = 100;
  tests::write_tiff(scratch / "in.tif", {page});
  CHECK(std::filesystem::file_size(scratch / "in.tif") < 2000);
  fails({"label", scratch / "in.tif", "--json", "-", "--memory", "3M"}, 71, "in.tif: needs ");
}

TEST_CASE("tags that need more memory than there may be are no fault of the file") {
  const ScratchFolder scratch;
  tests::TiffPageToWrite page = page_of(BitVolume({8, 60000, 1}), 0);
  page.rows_per_strip = 1;  // their tables are within the allowance of tags
  tests::write_tiff(scratch / "in.tif", {page});
  succeeds({"label", scratch / "in.tif", "--json", "/dev/null", "--memory", "50K", "--quiet"});
  page.more = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, std::string(17 << 20, 'x').c_str());
  };
  tests::write_tiff(scratch / "in.tif", {page});
  fails({"label", scratch / "in.tif", "--json", "-", "--memory", "2M"}, 71,
        "in.tif: page 0: needs more memory than the limit (");
  succeeds({"label", scratch / "in.tif", "--json", "/dev/null", "--memory", "20M", "--quiet"});
}

TEST_CASE("components that no memory was given for are too many") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.tif", tests::generated("dots", {2048, 2048, 1}).view());
  fails({"label", input, "--json", "-", "--memory", "1M"}, 71, "in.tif: has more ");
  // At once it would fit, but not with its million components.
  const Ended ended = gpuccl({"label", input, "--json", "-", "--memory", "30M"});
  CHECK(ended.code == 71);
  CHECK(ended.err.find("in.tif: has more ") != std::string::npos);
#ifndef __SANITIZE_ADDRESS__
  CHECK(ended.peak_kib < (30 + 64) * 1024);
#endif
  succeeds({"label", input, "--json", "/dev/null", "--memory", "70M"});
}

/// Columns that every fourth slice has a thorn on, whose tip looks like the beginning of a component.
BitVolume thorny_columns(int side) {
  BitVolume volume({side, side, side});
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; y += 4)
      for (int x = 0; x < side; x += 4) {
        volume.set(x, y, z);
        if (z % 4 == 1) volume.set(x + 1, y, z);
        if (z % 4 < 2) volume.set(x + 2, y, z);
      }
  return volume;
}

TEST_CASE("an image labeled with less memory is labeled with more") {
  const ScratchFolder scratch;
  const auto labels_from = [&](const std::string& input, const Words& sizes) {
    for (const std::string& size : sizes) {
      const Ended ended = gpuccl({"label", input, "--json", "/dev/null", "--quiet", "--memory", size});
      CAPTURE(input, size, ended.err);
      CHECK(ended.code == 0);
    }
  };
  // Few slabs, then at once: of columns, of which each slab has its own, only the first slice has beginnings.
  labels_from(save(scratch / "comb.tif", tests::generated("comb", {600, 600, 150}).view()),
              {"40M", "50M", "60M", "300M"});
  // Few slabs leave little for components, but have so few parts of columns that it is enough.
  labels_from(save(scratch / "wide.tif", tests::generated("comb", {600000, 200, 1}).view()),
              {"160M", "300M"});
  // Where at once looks as if it took too much, few slabs do not, and many have too many parts of columns.
  labels_from(save(scratch / "thorns.tif", thorny_columns(320).view()), {"18M", "24M", "30M", "40M", "200M"});
}

}  // namespace
}  // namespace gpuccl
