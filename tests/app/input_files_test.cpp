// Inputs that consist of more than the file that they are named by: nothing replaces their files, and a batch
// sees that they have changed.

#include "binary.hpp"
#include "support/nifti_file.hpp"
#include "support/test.hpp"
#include "zarr_samples.hpp"

namespace gpuccl {
namespace {

namespace fs = std::filesystem;

struct Inputs : WorkFolder {
  void draw(const std::string& name, const Words& rows) const {
    save(*this / name, tests::drawn(rows).view());
  }
  void write_nhdr(const std::string& name, const std::string& samples) const {
    write(name,
          "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 4\nencoding: raw\ndata file: " + samples + "\n");
  }
  void refused(const std::string& words, const std::string& kept) const {
    const std::string before = read(kept);
    fails("label " + words, 64, "");
    CHECK(read(kept) == before);
  }
  /// Whether the command of a batch, with --skip-existing, has nothing to do.
  bool is_skipped(const std::string& words) const {
    const std::string line = type("label " + words + " -o out/ --skip-existing").err;
    CHECK_FALSE(has(line, "failed"));
    return line.starts_with("gpuccl: 0 of ");
  }
  /// Replaces a file by another of the same size and age.
  void replace(const std::string& file) const {
    fs::copy_file(*this / file, *this / "replacement");
    fs::last_write_time(*this / "replacement", fs::last_write_time(*this / file));
    fs::rename(*this / "replacement", *this / file);
  }
  /// Labels the inputs, and again when one of these files is replaced.
  void notices(const std::string& words, const Words& files) const {
    CHECK(!is_skipped(words));
    for (const std::string& file : files) {
      CAPTURE(file);
      CHECK(is_skipped(words));
      replace(file);
      CHECK(!is_skipped(words));
    }
  }
};

TEST_CASE_METHOD(Inputs, "samples next to a header are never an output") {
  for (const char* name : {"a.raw", "b.raw", "c.img"}) write(name, std::string(16, '\1'));
  write_nhdr("a.nhdr", "a.raw");
  write("b.mhd",
        "ObjectType = Image\nNDims = 2\nDimSize = 4 4\nElementType = MET_UCHAR\nElementDataFile = b.raw\n");
  tests::NiftiToWrite header;
  header.pair = true;
  header.dim = {3, 4, 4, 1};
  write("c.hdr", header.bytes());
  draw("other.png", {"####", "####", "####", "####"});
  for (const auto& [name, samples] :
       {std::pair<std::string, std::string>("a.nhdr", "a.raw"), {"b.mhd", "b.raw"}, {"c.hdr", "c.img"}}) {
    CAPTURE(name);
    for (const std::string output : {" --json ", " --stats "}) {
      refused(name + output + samples, samples);
      refused("other.png --intensity " + name + output + samples, samples);
    }
    fs::create_symlink(samples, *this / "link.png");
    refused(name + " --preview link.png", samples);
    refused(name + " -o link.png", samples);
    fs::remove(*this / "link.png");
    refused(name + " other.png --stats " + samples, samples);
  }
  succeeds("label a.nhdr -o out.tif");
}

TEST_CASE_METHOD(Inputs, "slices of a stack of intensities are never an output of a batch") {
  make_folders({"in/s", "gray/s"});
  for (const char* name : {"in/s/1.png", "gray/s/1.png"}) draw(name, {"#.#"});
  refused("in --stack --intensity gray -o out/ --stats gray/s/1.png", "gray/s/1.png");
}

TEST_CASE_METHOD(Inputs, "files of a Zarr that is read are never an output") {
  add_store(*this / "a.zarr");
  const std::string chunk = "a.zarr/0/0.0";
  fs::create_directory_symlink("a.zarr", *this / "link");
  draw("other.png", {"#...", "....", "....", "...#"});
  for (const std::string output : {"a.zarr/0/0.0", "link/0/0.0", "a.zarr/new.json", "a.zarr/0/new"})
    for (const char* words : {"a.zarr --json ", "a.zarr --stats ", "other.png --intensity a.zarr --json ",
                              "a.zarr other.png --stats "})
      refused(words + output, chunk);
  refused("a.zarr -o a.zarr/0/l.tif", chunk);
  fs::create_symlink("a.zarr/0/new", *this / "dangling");
  refused("a.zarr --stats dangling", chunk);
  CHECK(!fs::exists(*this / "a.zarr/labels"));
  for (const std::string parts : {"a.zarr", "a.zarr/parts", "link/0/parts"})
    refused("a.zarr -o l.tif --part 1/2 --parts-dir " + parts, chunk);
  refused("a.zarr -o a.zarr/labels/x --preview a.zarr/labels/p.png", chunk);
  succeeds("label a.zarr -o a.zarr/labels/x");
}

TEST_CASE_METHOD(Inputs, "skipping notices changed samples next to a header, slices and chunks") {
  make_folders({"in", "stack"});
  write("in/a.raw", std::string(16, '\1'));
  write_nhdr("in/a.nhdr", "a.raw");
  notices("in/a.nhdr", {"in/a.raw"});
  for (const char* name : {"stack/1.png", "stack/2.png"}) draw(name, {"#.#"});
  notices("--stack stack", {"stack/1.png"});
  // A Zarr that got labels is the same image.
  add_store(*this / "in/b.zarr");
  CHECK(!is_skipped("in/b.zarr"));
  succeeds("label in/b.zarr -o in/b.zarr");
  succeeds("label in/b.zarr -o in/b.zarr --order size");
  replace("in/b.zarr/labels/gpuccl/0/.zarray");
  CHECK(is_skipped("in/b.zarr"));
  fs::remove_all(*this / "out");
  notices("in/b.zarr", {"in/b.zarr/0/1.1"});
}

TEST_CASE_METHOD(Inputs, "skipping notices other intensities, seeds and samples for all time points") {
  make_folders({"in", "gray", "other", "seeds", "movies", "movie_samples"});
  draw("in/a.png", {"#.#."});
  for (const char* name : {"gray/a.tif", "other/a.tif"}) save_gray(*this / name, {{1, 2, 3, 4}});
  const std::string of = "in/a.png --measure intensity --intensity ";
  for (const std::string folder : {"gray", "other", "gray"}) {
    CHECK(!is_skipped(of + folder));
    CHECK(is_skipped(of + folder));
  }
  fs::remove_all(*this / "out");
  notices(of + "gray", {"gray/a.tif"});

  tests::NiftiToWrite movie;
  movie.dim = {4, 4, 1, 1, 2};
  movie.samples = "\1\2\3\4\5\6\7\10";
  for (const char* name : {"movies/a.nii", "movie_samples/a.nii"}) write(name, movie.bytes());
  draw("seeds/a.png", {"#.#."});
  notices("movies/a.nii --seeds seeds --frame all --measure intensity --intensity movie_samples/a.nii",
          {"seeds/a.png", "movie_samples/a.nii", "movies/a.nii"});
}

}  // namespace
}  // namespace gpuccl
