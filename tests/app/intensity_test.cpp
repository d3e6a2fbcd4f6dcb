#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/compressed.hpp"
#include "support/nifti_file.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

// --intensity as users type it. That the values are right is proven by tests/lib/intensity_test.cpp.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

/// An image of two components, in.png, and samples of it, gray.tif.
struct TwoComponents : WorkFolder {
  TwoComponents() {
    save(*this / "in.png", tests::drawn(Words{"##..#", "....#"}).view());
    save_gray(*this / "gray.tif", {{1, 3, 9, 9, 10}, {9, 9, 9, 9, 30}});
  }
  void copy(const std::string& from, const Words& names) const {
    for (const std::string& name : names) {
      fs::create_directories((path() / name).parent_path());
      fs::copy_file(*this / from, *this / name);
    }
  }
};

TEST_CASE_METHOD(TwoComponents, "intensities on another grid are hinted at") {
  succeeds("label in.png --spacing 2,2,2,um -o mask.nii");
  succeeds("label gray.tif --values --spacing 2,3,2,um -o samples.nii");
  const std::string
      hint = "the image of --intensity has another spacing; samples are matched by index, not by position",
      words = "label mask.nii --intensity samples.nii --json -";
  const Ended ended = type(words);
  CHECK(ended.err == "gpuccl: warning: mask.nii: " + hint + "\n");
  CHECK(Json::parse(ended.out)["hints"] == Json{hint});
  for (const char* more : {" --quiet", " --spacing 1,1,1"}) succeeds(words + more);  // the spacing of both
  succeeds("label mask.nii --intensity gray.tif --json -");
}

TEST_CASE_METHOD(TwoComponents, "percentiles that cannot be counted are hinted at if they are named") {
  tests::NiftiToWrite nifti{.dim = {2, 2, 2}, .datatype = 4, .slope = -0.5, .samples = std::string(8, '\1')};
  const auto said = [&](const std::string& measure) {
    write("scaled.nii", nifti.bytes());
    return type("label scaled.nii --intensity scaled.nii --json - --measure " + measure).err;
  };
  CHECK(has(said("intensity_median"),
            "median and percentiles need integers of at most 16 bits without a scale"));
  CHECK(said("intensity_mean").empty());
  CHECK(said("intensity").empty());  // the group leaves out columns
  nifti.slope = 1;
  CHECK(said("intensity_p95").empty());
}

TEST_CASE_METHOD(TwoComponents, "samples with more behind them are read with a warning, compressed or not") {
  succeeds("label in.png -o mask.nii");
  succeeds("label gray.tif --values -o samples.nii");
  const std::string bytes = read("samples.nii");
  for (const auto& [name, content] : {std::pair("samples.nii", bytes + "x"),
                                      {"longer.nii.gz", tests::gzipped(bytes + "x")},
                                      {"behind.nii.gz", tests::gzipped(bytes) + "x"},
                                      {"member.nii.gz", tests::gzipped(bytes) + tests::gzipped("more")}}) {
    CAPTURE(name);
    write(name, content);
    const Ended ended = ends("label mask.nii --json - --intensity " + std::string(name), 0, {});
    CHECK(ended.err == "gpuccl: warning: " + std::string(name) + ": data after its samples is ignored\n");
  }
}

TEST_CASE_METHOD(TwoComponents, "compressed samples of detached headers are those of their own header") {
  for (const auto& [name, first, second] : {std::tuple("a", '\x0a', '\x14'), {"b", '\x32', '\x3c'}}) {
    write(
        std::string(name) + ".nhdr",
        "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 2 1 2\nkinds: space space space time\nencoding: gzip\n"
        "data file: " +
            std::string(name) + ".gz\n");
    write(std::string(name) + ".gz", tests::gzipped(std::string(4, first) + std::string(4, second)));
  }
  const auto table = [&](const std::string& words) {
    return type("label a.nhdr --measure intensity_max --stats - --frame " + words).out;
  };
  CHECK(table("1 --intensity a.nhdr,b.nhdr").ends_with(",20,60\n"));
  const std::string all = table("all --intensity b.nhdr");
  CHECK(has(all, ",50\n"));
  CHECK(all.ends_with(",60\n"));
}

TEST_CASE_METHOD(TwoComponents, "a batch does not write over an intensity image of a later input") {
  copy("in.png", {"scans/a.png", "scans/sub/a.png"});
  copy("gray.tif", {"grays/a.tiff", "grays/sub/a.tiff"});
  fails("label scans --recursive --intensity grays -o grays/sub/", 64, "a.tiff");
  CHECK(read("grays/sub/a.tiff") == read("gray.tif"));
}

TEST_CASE_METHOD(TwoComponents, "samples that are no numbers are counted, left out and said") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto measure = [&](const std::vector<float>& samples) {
    write("f.npy", tests::npy("<f4", "(2, 5)", tests::bytes_of(samples)));
    return ends("label in.png --intensity f.npy --json -", 0, {});
  };
  CHECK(measure({nan, 3, 9, 9, 1, 9, 1, 9, 9, 1})
            .err.ends_with(": 1 sample of a component is NaN and is ignored\n"));
  const Ended ended = measure({nan, 3, 9, 9, nan, 9, nan, 9, 9, nan});
  CHECK(ended.err == "gpuccl: warning: f.npy: 3 samples of components are NaN and are ignored\n");
  const Json report = Json::parse(ended.out), first = report["components"][0];
  CHECK(report["intensity"]["nans"] == 3);
  CHECK(first["intensity_mean"] == 3);
  CHECK(first["intensity_nan"] == 1);
  CHECK(first["intensity_median"].is_null());
  CHECK(report["components"][1]["intensity_mean"].is_null());
}

tests::TiffPageToWrite page(const std::vector<std::uint64_t>& samples, const std::string& description = "") {
  tests::TiffPageToWrite one;
  one.width = static_cast<std::uint32_t>(samples.size());
  one.height = 1;
  one.bits = 8;
  one.samples = samples;
  one.more = [=](TIFF* tiff) {
    if (!description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
  };
  return one;
}

TEST_CASE_METHOD(TwoComponents, "a hyperstack of a mask and a signal is labeled and measured") {
  for (const std::string kind : {"slices", "frames"})
    tests::write_tiff(*this / kind + ".tif", {page({1, 0, 0}, "ImageJ=1.53\nimages=4\nchannels=2\n" + kind +
                                                                  "=2\nhyperstack=true\n"),
                                              page({5, 6, 7}), page({1, 0, 1}), page({8, 9, 20})});
  const std::string words = "label slices.tif --channel 0 -c 6 --intensity slices.tif";
  const Json components = json(words + " --intensity-channel 1")["components"];
  REQUIRE(components.size() == 2);
  CHECK(components[0]["intensity_sum"] == 13);
  CHECK(components[1]["intensity_sum"] == 20);
  fails(words + " --json -", 65, "contains 2 channels; --intensity-channel N selects one, from 0");
  // Time points have the columns of their channels.
  const std::string table = succeeds(
      "label frames.tif --channel 0 --frame all --intensity frames.tif "
      "--intensity-channel all --measure intensity_max --stats - --quiet");
  CHECK(has(table, ",intensity_max[0],intensity_max[1]\n"));
  CHECK(table.ends_with(",1,20\n"));
  // Slices of a channel may be labeled each on its own, channels may not.
  fails("label slices.tif --per-slice --json -", 65,
        "slices.tif: contains 2 channels; --channel N selects one, from 0\n");
  CHECK(json("label slices.tif --per-slice --channel 0")["components"].size() == 3);
}

TEST_CASE_METHOD(TwoComponents, "columns of several images keep letters of every language") {
  save_gray(*this / "mask.tif", {{1, 1}});
  save_gray(*this / "фаза µ.tif", {{3, 5}});
  save_gray(*this / "b\xff.tif", {{7, 9}});
  CHECK(succeeds("label mask.tif --intensity 'фаза µ.tif,b\xff.tif' --measure intensity_mean --keep "
                 "'intensity_mean[фаза_µ] > 3' --stats - --quiet") ==
        "label,area,x0,y0,x1,y1,cx,cy,intensity_mean[фаза_µ],intensity_mean[b_]\n1,2,0,0,1,0,0.5,0,4,8\n");
}

TEST_CASE_METHOD(TwoComponents, "a batch finds intensities by name") {
  copy("in.png", {"in/a.png", "in/deep/b.png", "in/c.png", "in/d.png"});
  copy("gray.tif", {"of/a.tif", "of/deep/b.tiff", "of/d.tif", "of/d.tiff", "other/x.tif"});
  ends("label in --recursive --intensity of --json-dir out", 66,
       {"in/c.png: has no intensity image; missing: of/c of any format; --intensity-name PATTERN pairs other "
        "names",
        "in/d.png: has more than one intensity image"});
  for (const char* name : {"out/a.json", "out/deep/b.json"})
    CHECK(Json::parse(read(name))["components"][1]["intensity_mean"] == 20);
  fails("label in --intensity gray.tif --json-dir out", 64, "--intensity FOLDER/");

  // One line if no input has an image.
  const auto none = [](const std::string& what, const std::string& name, const std::string& more) {
    return "in/a.png: has no " + what + "; missing: other/" + name + " of any format" + more;
  };
  for (const std::string command : {"label", "measure"})
    fails(command + " in --intensity of,other --stats -", 66,
          none("intensity image", "a", "; --intensity-name PATTERN pairs other names (all 3 inputs fail)"));
  fails("label in --recursive --seeds other --stats -", 66,
        none("mask of seeds", "a", " (all 4 inputs fail)"));
  fails("label in --intensity other --intensity-name *_y --stats -", 66,
        none("intensity image", "a_y", " (all 3 inputs fail)"));
  // A report has a line for each, and none of an earlier run.
  write("lines.jsonl", "{}\n");
  ends("label in --intensity other --stats t.csv --report lines.jsonl", 66, {});
  const std::string text = read("lines.jsonl");
  CHECK(text.starts_with("{\"input\":\"in/a.png\",\"status\":\"failed\",\"code\":66,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);

  // Names that differ: a_mask.png has a_0001.tif; other.png is skipped.
  copy("in.png", {"masks/a_mask.png", "masks/other.png"});
  copy("gray.tif", {"of/a_0001.tif"});
  const std::string masks = "label masks --intensity of --json-dir named --intensity-name ";
  for (const auto& [pattern, code] : {std::pair("*_mask=*_0001", 0), {"*ask=*_0001", 66}})
    ends(masks + pattern, code, {"warning: 1 image skipped: not named *"});
  CHECK(Json::parse(read("named/a_mask.json"))["components"][1]["intensity_mean"] == 20);
  fails(masks + "x", 64, "is not a pattern");
  fails(masks + "*_no=*", 66, "contains no image whose name matches --intensity-name");
  // A pattern of the shell may match one file; a name that is given must match.
  const auto one = [&](const std::string& mask, int code, const Words& parts) {
    return ends("label masks/" + mask + " --intensity of --intensity-name *_mask=*_0001 --stats -", code,
                parts);
  };
  CHECK(one("a_mask.png", 0, {}).out.starts_with("file,label,area,"));
  one("other.png", 66, {"has a name that does not match *_mask"});
  fails("label in.png --intensity gray.tif --intensity-name *_1 --json -", 64, "--json is for one input");

  const std::string again = "label in/a.png --skip-existing --intensity of --json-dir out";
  ends(again, 0, {"1 skipped"});
  fs::last_write_time(*this / "of/a.tif", fs::file_time_type::clock::now() + std::chrono::hours(1));
  CHECK_FALSE(has(type(again).err, "skipped"));
}

}  // namespace
}  // namespace gpuccl
