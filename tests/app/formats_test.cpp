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

TEST_CASE("a NIfTI is labelled with its frame, compressed or not, alone and in a folder") {
  const ScratchFolder scratch;
  for (const char* folder : {"in", "out"}) std::filesystem::create_directory(scratch / folder);
  const std::string tiff = save(scratch / "a.tif", tests::drawn(kSlices).view());
  succeeds({"label", tiff, "-o", scratch / "in/a.nii.gz", "--json", scratch / "a.json"});
  CHECK(labels_in(scratch / "in/a.nii.gz") == kLabels26);
  std::string input = read_file(scratch / "in/a.nii.gz");
  succeeds({"label", tiff, "-o", scratch / "b.nii", "--json", "/dev/null"});
  std::string framed = read_file(scratch / "b.nii");
  for (std::size_t at = 252; at < 328; ++at) framed[at] = static_cast<char>(at);  // qform_code to srow_z
  write_file(scratch / "in/b.nii", framed);

  succeeds({"label", scratch / "in/b.nii", "-o", scratch / "c.nii", "--stats", scratch / "c.csv"});
  const bool same = read_file(scratch / "c.nii") == framed;
  CHECK(same);
  CHECK(Json::parse(read_file(scratch / "c.json"))["input"]["format"] == "nifti");
  succeeds({"label", scratch / "in", "-o", scratch / "out/", "--format", "nii.gz", "--quiet"});
  CHECK(read_file(scratch / "out/a.nii.gz") == input);
  CHECK(std::filesystem::exists(scratch / "out/b.json"));
  succeeds({"compare", scratch / "out/b.nii.gz", scratch / "c.nii"});
  fails({"label", tiff, "-o", scratch / "x.nii", "--compress", "none"}, 64,
        "--compress is for label images in TIFF");
}

TEST_CASE("a volume of any format is labelled by slabs as it is at once") {
  const ScratchFolder scratch;
  const std::string tiff = save(scratch / "in.tif", tests::random_image({120, 90, 60}, 0.2, 3, 4).view());
  succeeds({"label", tiff, "-o", scratch / "at-once.npy"});
  for (const char* name : {"labels.npy", "labels.nii", "labels.nii.gz"}) {
    succeeds({"label", tiff, "-o", scratch / name});
    succeeds({"label", scratch / name, "-o", scratch / "slabs.npy", "--memory", "700K", "--quiet"});
    const bool same = read_file(scratch / "slabs.npy") == read_file(scratch / "at-once.npy");
    CHECK(same);
  }
}

}  // namespace
}  // namespace gpuccl
