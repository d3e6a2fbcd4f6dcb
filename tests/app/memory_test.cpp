#include <algorithm>
#include <filesystem>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

// What is resident at most, beside --memory: the program itself and its buffers.
namespace gpuccl {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr long kBesideMib = 1 << 20;  // the sanitizer's own memory tells nothing
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

TEST_CASE("components that are put into another order are there once, not twice") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::random_image({6000, 6000, 1}, 0.15, 1, 1).view());
  const Words words = {"label", input, "-c", "4", "--order", "size", "--stats", scratch / "t.csv"};
  const Ended tight = within(390, words);
  CHECK((tight.code == 0 || tight.code == 71));
  CHECK(within(600, words).code == 0);
}

TEST_CASE("a preview of wide rows is drawn row by row") {
  const ScratchFolder scratch;
  BitVolume wide({400000, 600, 1});
  for (int y = 0; y < 600; y += 3)
    for (int x = y; x < 400000; x += 1 + x / 5) wide.set(x, y, 0, true);
  const std::string input = save(scratch / "in.png", wide.view());
  CHECK(within(24, {"label", input, "--preview", scratch / "parts.png"}).code == 0);
  succeeds({"label", input, "--preview", scratch / "whole.png"});
  CHECK((read_file(scratch / "parts.png") == read_file(scratch / "whole.png")));
}

}  // namespace
}  // namespace gpuccl
