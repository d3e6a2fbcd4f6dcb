#include <filesystem>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

// Formats other than PNG and TIFF, in and out.
namespace gpuccl {
namespace {

const std::vector<std::vector<std::string>> kSlices = {{"#..#", "#...", "..##"}, {"....", ".#..", "...#"}};
constexpr const char* kLabels26 = "1 0 0 2/1 0 0 0/0 0 1 1|0 0 0 0/0 1 0 0/0 0 0 1";

TEST_CASE("an array of numpy is labelled as the same TIFF is, alone, in a folder and as a slice") {
  const ScratchFolder scratch;
  for (const char* folder : {"in", "stack"}) std::filesystem::create_directory(scratch / folder);
  const std::string tiff = save(scratch / "in/a.tif", tests::drawn(kSlices).view());
  succeeds({"label", tiff, "-o", scratch / "a.npy"});
  CHECK(labels_in(scratch / "a.npy") == kLabels26);

  // Labels are whole numbers, of which all but 0 are foreground.
  std::filesystem::copy_file(scratch / "a.npy", scratch / "in/b.npy");
  succeeds({"label", scratch / "in/b.npy", "-o", scratch / "b.tiff", "--stats", scratch / "b.csv"});
  CHECK(labels_in(scratch / "b.tiff") == kLabels26);
  CHECK(Json::parse(read_file(scratch / "b.json"))["input"]["format"] == "npy");
  succeeds({"compare", scratch / "a.npy", scratch / "b.tiff"});
  succeeds({"label", scratch / "in", "-o", scratch / "out/", "--quiet"});
  CHECK(labels_in(scratch / "out/a.tiff") == kLabels26);
  CHECK(labels_in(scratch / "out/b.tiff") == kLabels26);

  const std::string slice = save(scratch / "stack/1.png", tests::drawn(kSlices[0]).view());
  succeeds({"label", save(scratch / "2.png", tests::drawn(kSlices[1]).view()), "-o", scratch / "stack/2.npy",
            "--json", "/dev/null", "--label-type", "u8"});
  fails({"label", scratch / "stack", "--stack", "-o", scratch / "c.tiff"}, 65,
        "2.npy is min-is-black with 1 samples of 8");
  std::filesystem::remove(slice);
  succeeds({"label", scratch / "stack", "--stack", "-c", "26", "-o", scratch / "c.npy"});
  CHECK(labels_in(scratch / "c.npy") == "0 0 0 0/0 1 0 0/0 0 0 2");
}

}  // namespace
}  // namespace gpuccl
