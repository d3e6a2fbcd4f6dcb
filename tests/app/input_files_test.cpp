// Inputs that consist of more than the file that they are named by: nothing replaces their files, and a batch
// sees that they have changed.

#include "binary.hpp"
#include "support/nifti_file.hpp"
#include "support/test.hpp"
#include "zarr_samples.hpp"

namespace gpuccl {
namespace {

namespace fs = std::filesystem;

const std::string kSamples(16, '\1');

std::string add_nhdr(const std::string& path, const std::string& samples) {
  write_file(path,
             "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 4\nencoding: raw\ndata file: " + samples + "\n");
  return path;
}

std::string add_mhd(const std::string& path, const std::string& samples) {
  write_file(path,
             "ObjectType = Image\nNDims = 2\nDimSize = 4 4\nElementType = MET_UCHAR\nElementDataFile = " +
                 samples + "\n");
  return path;
}

std::string add_hdr(const std::string& path) {
  tests::NiftiToWrite header;
  header.pair = true;
  header.dim = {3, 4, 4, 1};
  write_file(path, header.bytes());
  return path;
}

void refused(const Words& words, const std::string& kept) {
  const std::string before = read_file(kept);
  fails(words, 64, "");
  CHECK(read_file(kept) == before);
}

TEST_CASE("samples next to a header are never an output") {
  const ScratchFolder scratch;
  for (const char* name : {"a.raw", "b.raw", "c.img"}) write_file(scratch / name, kSamples);
  const std::pair<std::string, std::string> inputs[] = {
      {add_nhdr(scratch / "a.nhdr", "a.raw"), scratch / "a.raw"},
      {add_mhd(scratch / "b.mhd", "b.raw"), scratch / "b.raw"},
      {add_hdr(scratch / "c.hdr"), scratch / "c.img"}};
  const std::string other =
      save(scratch / "other.png", tests::drawn(Words{"####", "####", "####", "####"}).view());
  for (const auto& [header, samples] : inputs) {
    CAPTURE(header);
    for (const char* output : {"--json", "--stats"}) {
      refused({"label", header, output, samples}, samples);
      refused({"label", other, "--intensity", header, output, samples}, samples);
    }
    fs::create_symlink(samples, scratch / "link.png");
    refused({"label", header, "--preview", scratch / "link.png"}, samples);
    refused({"label", header, "-o", scratch / "link.png"}, samples);
    fs::remove(scratch / "link.png");
    refused({"label", header, other, "--stats", samples}, samples);
  }
  succeeds({"label", inputs[0].first, "-o", scratch / "out.tif"});
}

TEST_CASE("slices of a stack of intensities are never an output of a batch") {
  const ScratchFolder scratch;
  const BitVolume image = tests::drawn(Words{"#.#"});
  for (const char* folder : {"in/s", "gray/s"}) {
    fs::create_directories(scratch / folder);
    save(scratch / (std::string(folder) + "/1.png"), image.view());
  }
  const std::string slice = scratch / "gray/s/1.png";
  refused({"label", scratch / "in", "--stack", "--intensity", scratch / "gray", "-o", scratch / "out/",
           "--stats", slice},
          slice);
}

TEST_CASE("files of a Zarr that is read are never an output") {
  const ScratchFolder scratch;
  const std::string store = add_store(scratch / "a.zarr"), chunk = store + "/0/0.0";
  fs::create_directory_symlink(store, scratch / "link");
  const std::string image =
      save(scratch / "other.png", tests::drawn(Words{"#...", "....", "....", "...#"}).view());
  for (const std::string& output : {chunk, scratch / "link/0/0.0", store + "/new.json", store + "/0/new"}) {
    refused({"label", store, "--json", output}, chunk);
    refused({"label", store, "--stats", output}, chunk);
    refused({"label", image, "--intensity", store, "--json", output}, chunk);
    refused({"label", store, image, "--stats", output}, chunk);
  }
  refused({"label", store, "-o", store + "/0/l.tif"}, chunk);
  fs::create_symlink(store + "/0/new", scratch / "dangling");
  refused({"label", store, "--stats", scratch / "dangling"}, chunk);
  CHECK(!fs::exists(store + "/labels"));
  for (const std::string& parts : {store, store + "/parts", scratch / "link/0/parts"})
    refused({"label", store, "-o", scratch / "l.tif", "--part", "1/2", "--parts-dir", parts}, chunk);
  refused({"label", store, "-o", store + "/labels/x", "--preview", store + "/labels/p.png"}, chunk);
  succeeds({"label", store, "-o", store + "/labels/x"});
}

/// A batch of one, done, then done again after `change`.
struct Again {
  ScratchFolder scratch;
  Words words;

  explicit Again(const Words& inputs) {
    fs::create_directory(scratch / "in");
    words = {"label"};
    for (const std::string& input : inputs) words.push_back(input.starts_with('-') ? input : scratch / input);
    words.insert(words.end(), {"-o", scratch / "out/", "--skip-existing"});
  }
  std::string said() const { return gpuccl(words).err; }
  bool is_skipped() const {
    const std::string line = said();
    CHECK(line.find("failed") == std::string::npos);
    return line.starts_with("gpuccl: 0 of ");
  }
  /// Replaces `path` by another file of the same size and age.
  void replace(const std::string& path) const {
    const std::string other = scratch / "replacement";
    fs::copy_file(path, other);
    fs::last_write_time(other, fs::last_write_time(path));
    fs::rename(other, path);
  }
};

TEST_CASE("skipping notices changed samples next to a header") {
  const Again again({"in/a.nhdr"});
  write_file(again.scratch / "in/a.raw", kSamples);
  add_nhdr(again.scratch / "in/a.nhdr", "a.raw");
  CHECK(!again.is_skipped());
  CHECK(again.is_skipped());
  again.replace(again.scratch / "in/a.raw");
  CHECK(!again.is_skipped());
}

TEST_CASE(
    "what is there already: --skip-existing sees that chunks of a Zarr have changed, and not that it got "
    "labels") {
  const Again again({"in/a.zarr"});
  const std::string store = add_store(again.scratch / "in/a.zarr");
  CHECK(!again.is_skipped());
  CHECK(again.is_skipped());
  succeeds({"label", store, "-o", store});
  succeeds({"label", store, "-o", store, "--order", "size"});
  again.replace(store + "/labels/gpuccl/0/.zarray");
  CHECK(again.is_skipped());
  again.replace(store + "/0/1.1");
  CHECK(!again.is_skipped());
}

TEST_CASE("skipping notices a changed slice of a stack") {
  const Again again({"--stack", "in"});
  const BitVolume image = tests::drawn(Words{"#.#"});
  for (const char* name : {"in/1.png", "in/2.png"}) save(again.scratch / name, image.view());
  CHECK(!again.is_skipped());
  CHECK(again.is_skipped());
  again.replace(again.scratch / "in/1.png");
  CHECK(!again.is_skipped());
}

TEST_CASE("skipping notices other intensities") {
  Again again({"in/a.png"});
  save(again.scratch / "in/a.png", tests::drawn(Words{"#.#."}).view());
  for (const char* folder : {"gray", "other"}) {
    fs::create_directory(again.scratch / folder);
    save_gray(again.scratch / (std::string(folder) + "/a.tif"), {{1, 2, 3, 4}});
  }
  again.words.insert(again.words.end(), {"--measure", "intensity", "--intensity", again.scratch / "gray"});
  CHECK(!again.is_skipped());
  CHECK(again.is_skipped());
  again.words.back() = again.scratch / "other";
  CHECK(!again.is_skipped());
  CHECK(again.is_skipped());
  again.words.back() = again.scratch / "gray";
  CHECK(!again.is_skipped());
  CHECK(again.is_skipped());
  again.replace(again.scratch / "gray/a.tif");
  CHECK(!again.is_skipped());
}

TEST_CASE("skipping notices another mask of --seeds, and another image of samples for all time points") {
  Again again({"in/a.nii"});
  for (const char* folder : {"seeds", "gray"}) fs::create_directory(again.scratch / folder);
  tests::NiftiToWrite movie;
  movie.dim = {4, 4, 1, 1, 2};
  movie.samples = "\1\2\3\4\5\6\7\10";
  for (const char* name : {"in/a.nii", "gray/a.nii"}) write_file(again.scratch / name, movie.bytes());
  save(again.scratch / "seeds/a.png", tests::drawn(Words{"#.#."}).view());
  again.words.insert(again.words.end(), {"--seeds", again.scratch / "seeds", "--frame", "all", "--measure",
                                         "intensity", "--intensity", again.scratch / "gray/a.nii"});
  CHECK(!again.is_skipped());
  for (const char* name : {"seeds/a.png", "gray/a.nii", "in/a.nii"}) {
    CAPTURE(name);
    CHECK(again.is_skipped());
    again.replace(again.scratch / name);
    CHECK(!again.is_skipped());
  }
}

}  // namespace
}  // namespace gpuccl
