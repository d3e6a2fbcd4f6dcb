#include <sys/resource.h>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/png_file.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

// Maximum of resident memory in addition to --memory: the program itself and its buffers.
namespace gpuccl {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr long kBesideMib = 1 << 20;  // the sanitizer's own memory says nothing
#else
constexpr long kBesideMib = 64;
#endif

Ended within(long mebibytes, Words words) {
  words.insert(words.end(), {"--memory", std::to_string(mebibytes) + "M", "--no-fsync"});
  const Ended ended = gpuccl(words);
  CAPTURE(words, ended.err);
  CHECK(ended.peak_kib < (mebibytes + kBesideMib) * 1024);
  return ended;
}

TEST_CASE("a batch of images with millions of components, and its one table, stay within --memory") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "in");
  const std::string first = save(scratch / "in/0.png", tests::generated("dots", {2048, 2048, 1}).view());
  constexpr int kImages = 8;
  for (int i = 1; i < kImages; ++i)
    std::filesystem::copy_file(first, scratch / ("in/" + std::to_string(i) + ".png"));
  const Ended ended = within(100, {"label", scratch / "in", "-o", scratch / "out/", "--format", "npy",
                                   "--jobs", "8", "--stats", scratch / "all.csv", "--quiet"});
  CHECK(ended.code == 0);
  CHECK(ended.err == "");
  succeeds({"label", first, "-o", scratch / "one.npy", "--stats", scratch / "one.csv"});
  for (int i = 0; i < kImages; ++i)
    CHECK((read_file(scratch / ("out/" + std::to_string(i) + ".npy")) == read_file(scratch / "one.npy")));
  const std::string one = read_file(scratch / "one.csv"), all = read_file(scratch / "all.csv");
  CHECK(std::count(all.begin(), all.end(), '\n') ==
        kImages * (std::count(one.begin(), one.end(), '\n') - 1) + 1);
}

TEST_CASE("rows of Feret diameters are refused where --memory does not hold them") {
  const ScratchFolder scratch;
  // A component in every second column: a row of each is kept.
  BitVolume columns({6000, 6000, 1});
  for (int y = 0; y < columns.extent().height; ++y)
    std::fill_n(columns.row(y), words_per_row(columns.extent().width) - 1, 0x55555555u);
  const std::string input = save(scratch / "columns.png", columns.view());
  const Words words = {"label",          input, "-c", "4", "--measure", "feret_diameter_max", "--stats",
                       scratch / "t.csv"};
  const Ended refused = within(150, words);
  CHECK(refused.code == 71);
  CHECK(refused.err.find("convex hulls and Feret diameters need 1") != std::string::npos);
  CHECK(within(400, words).code == 0);
}

/// A volume of cubes, one element apart.
std::string save_cubes(const std::string& path, Extent extent, int step) {
  BitVolume cubes(extent);
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y)
      for (int x = 0; x < extent.width; ++x)
        if (x % step != 0 && y % step != 0 && z % step != 0) cubes.set(x, y, z);
  return save(path, cubes.view());
}

template <class Sample>
std::string save_samples(const std::string& path, const std::string& type, Extent extent) {
  std::vector<Sample> samples(static_cast<std::size_t>(extent.elements()));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<Sample>(i * 2654435761u);
  const std::string sides = std::to_string(extent.depth) + ", " + std::to_string(extent.height) + ", " +
                            std::to_string(extent.width);
  write_file(path, tests::npy(type, "(" + sides + ")", tests::bytes_of(samples)));
  return path;
}

/// The table of what is measured of a volume; 0: without a bound.
std::string measured_within(long mebibytes, const std::string& input, const std::string& samples) {
  const ScratchFolder scratch;
  const Words words = {"label",       input,
                       "-c",          "6",
                       "--measure",   "intensity_mean,intensity_std,cx_weighted",
                       "--intensity", samples,
                       "--stats",     scratch / "t.csv"};
  if (mebibytes == 0) {
    succeeds(words);
  } else {
    const Ended ended = within(mebibytes, words);
    CHECK(ended.code == 0);
    if (ended.code != 0) return ended.err;
  }
  return read_file(scratch / "t.csv");
}

TEST_CASE("samples of a volume that is labeled by slabs are read slice by slice") {
  const ScratchFolder scratch;
  const Extent extent{300, 300, 300};
  const std::string cubes = save_cubes(scratch / "cubes.tif", extent, 20);
  const std::string large = save_samples<std::uint32_t>(scratch / "u32.npy", "<u4", extent);
  CHECK((measured_within(24, cubes, large) == measured_within(0, cubes, large)));

  const std::string samples = save_samples<std::uint16_t>(scratch / "u16.npy", "<u2", extent);
  const Words percentiles = {"label", cubes,       "-c",        "6",       "--intensity",
                             samples, "--measure", "intensity", "--stats", scratch / "t.csv"};
  const Ended refused = within(24, percentiles);
  CHECK(refused.code == 71);
  CHECK_THAT(refused.err, tests::containing("median and percentiles need"));
  CHECK(within(160, percentiles).code == 0);

  const std::string small = save_cubes(scratch / "small.tif", extent, 4);
  const Ended many = within(24, {"label", small, "-c", "6", "--intensity", samples, "--measure",
                                 "intensity_mean", "--stats", scratch / "t.csv"});
  CHECK(many.code == 71);
  CHECK((measured_within(250, small, samples) == measured_within(0, small, samples)));
}

TEST_CASE("outlines with many measures need little memory") {
  const ScratchFolder scratch;
  BitVolume dots({80, 60, 1});
  for (int y = 0; y < 60; y += 2)
    for (int x = 0; x < 80; x += 2) dots.set(x, y);
  std::string images;
  for (char name = 'a'; name < 'k'; ++name)
    images += (images.empty() ? "" : ",") + save(scratch / (std::string(1, name) + ".png"), dots.view());
  succeeds({"label", scratch / "a.png", "-c", "4", "--measure", "all", "--intensity", images, "--outlines",
            scratch / "o.geojson", "--memory", "30M", "--quiet"});
}

TEST_CASE("wide rows of labels stay within --memory, in all formats") {
  const ScratchFolder scratch;
  // Few runs: more than the samples of all rows would not fit.
  BitVolume sparse({12000000, 3, 1});
  for (int y = 0; y < 3; ++y)
    for (int x = 50 * y; x < 12000000; x += 1000) sparse.set(x, y);
  // As many runs as there can be, of one component.
  BitVolume comb({3000000, 6, 1});
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 3000000; x += y == 5 ? 1 : 2) comb.set(x, y);
  const std::string sparse_file = save(scratch / "sparse.png", sparse.view()),
                    comb_file = save(scratch / "comb.png", comb.view());
  for (const Words& output :
       {Words{"-o", "out.tif"}, Words{"-o", "out.npy"}, Words{"-o", "out.png"},
        Words{"--preview", "view.png"}, Words{"-o", "out.tif", "--compress", "none"},
        Words{"-o", "out.tif", "--compress", "packbits"}, Words{"-o", "out.png", "--label-type", "u8"}}) {
    const auto labels = [&](const std::string& input, long mebibytes) {
      Words words = joined({"label", input, "--quiet", "--overwrite"}, output);
      words[5] = scratch / output[1];
      if (mebibytes == 0) {
        succeeds(words);
      } else {
        const Ended ended = within(mebibytes, words);
        CHECK(ended.code == 0);
      }
      return read_file(words[5]);
    };
    if (output.back() != "u8") CHECK((labels(sparse_file, 100) == labels(sparse_file, 0)));
    CHECK((labels(comb_file, 250) == labels(comb_file, 0)));
  }
  const Ended refused =
      within(80, {"label", sparse_file, "-o", scratch / "none.tif", "--compress", "packbits"});
  CHECK(refused.code == 71);
  CHECK_THAT(refused.err, tests::containing("to write outputs with that many labels"));
  CHECK(!std::filesystem::exists(scratch / "none.tif"));
  // The index of a shard has 16 bytes per chunk.
  const Ended index =
      within(80, {"label", sparse_file, "-o", scratch / "none.zarr", "--shards", "--chunks", "1"});
  CHECK(index.code == 71);
  CHECK(!std::filesystem::exists(scratch / "none.zarr"));
}

TEST_CASE("very wide images are compared within the memory that there is, or refused") {
  const ScratchFolder scratch;
  // Bytes after the header are not read.
  const std::string png =
      tests::png_of_chunks({{"IHDR", tests::png_header(2147483647, 1, 1, PNG_COLOR_TYPE_GRAY)},
                            {"IDAT", std::string(1 << 18, '\0')},
                            {"IEND", ""}});
  write_file(scratch / "a.png", png);
  Command compare = gpuccl_command({"compare", scratch / "a.png", scratch / "a.png"});
  compare.prepare = [] {
    constexpr rlim_t kAddresses = rlim_t{2} << 30;  // the labels take 8 GiB
    const rlimit both{kAddresses, kAddresses};
    ::setrlimit(RLIMIT_AS, &both);
  };
  fails(compare, 71, "memory");
  CHECK(run(compare).peak_kib < kBesideMib * 1024);
}

TEST_CASE("a batch looks for Otsu's thresholds within --memory and --threads") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "in");
  std::mt19937 random(7);
  tests::TiffPageToWrite page;
  page.width = page.height = 1024;
  page.bits = 32;
  page.compression = COMPRESSION_LZW;
  page.samples.resize(std::size_t{page.width} * page.height);
  // Ramps with a little noise: few components, and two classes.
  for (std::size_t i = 0; i < page.samples.size(); ++i)
    page.samples[i] = (i / 64 % 2 == 0 ? 500000000 : 4000000000) + random() % 100000000;
  const std::string first = scratch / "in/0.tif";
  tests::write_tiff(first, std::vector<tests::TiffPageToWrite>(4, page));
  constexpr int kImages = 8;
  for (int i = 1; i < kImages; ++i)
    std::filesystem::copy_file(first, scratch / ("in/" + std::to_string(i) + ".tif"));
  const Words otsu = {"--threshold", "otsu", "--threads", "1"};
  Words words = joined(
      {"label", scratch / "in", "-o", scratch / "out/", "--format", "npy", "--jobs", "8", "--quiet"}, otsu);
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = within(24, words);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  CHECK(ended.code == 0);
  CHECK(ended.cpu_ms < 1.2 * elapsed.count());
  words = {"label", first, "-o", scratch / "one.npy"};
  words.insert(words.end(), otsu.begin(), otsu.end());
  succeeds(words);
  for (int i = 0; i < kImages; ++i)
    CHECK((read_file(scratch / ("out/" + std::to_string(i) + ".npy")) == read_file(scratch / "one.npy")));
}

}  // namespace
}  // namespace gpuccl
