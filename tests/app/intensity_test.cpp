#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/compressed.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

// --intensity as users type it. That the values are right is proven by tests/lib/intensity_test.cpp.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

struct TwoComponents {
  ScratchFolder scratch;
  std::string input = save(scratch / "in.png", tests::drawn(Words{"##..#", "....#"}).view());
  std::string gray = save_gray(scratch / "gray.tif", {{1, 3, 9, 9, 10}, {9, 9, 9, 9, 30}});
};

TEST_CASE_METHOD(TwoComponents, "intensities on another grid are hinted at") {
  const std::string mask = scratch / "mask.nii", samples = scratch / "samples.nii";
  succeeds({"label", input, "--spacing", "2,2,2,um", "-o", mask});
  succeeds({"label", gray, "--values", "--spacing", "2,3,2,um", "-o", samples});
  const std::string hint =
      "the image of --intensity has another spacing; samples are matched by index, not by position";
  const Words words = {"label", mask, "--intensity", samples, "--json", "-"};
  const auto run = [&](const Words& more) { return gpuccl(joined(words, more)); };
  const Ended ended = run({});
  CHECK(ended.err == "gpuccl: warning: " + mask + ": " + hint + "\n");
  CHECK(Json::parse(ended.out)["hints"] == Json{hint});
  CHECK(run({"--quiet"}).err.empty());
  CHECK(run({"--spacing", "1,1,1"}).err.empty());  // is that of both
  CHECK(gpuccl({"label", mask, "--intensity", gray, "--json", "-"}).err.empty());
}

TEST_CASE_METHOD(TwoComponents, "samples with more behind them are read with a warning, compressed or not") {
  const std::string mask = scratch / "mask.nii", plain = scratch / "samples.nii";
  succeeds({"label", input, "-o", mask});
  succeeds({"label", gray, "--values", "-o", plain});
  const std::string bytes = read_file(plain);
  write_file(plain, bytes + "x");
  write_file(scratch / "longer.nii.gz", tests::gzipped(bytes + "x"));
  write_file(scratch / "behind.nii.gz", tests::gzipped(bytes) + "x");
  write_file(scratch / "member.nii.gz", tests::gzipped(bytes) + tests::gzipped("more"));
  for (const std::string name : {"samples.nii", "longer.nii.gz", "behind.nii.gz", "member.nii.gz"}) {
    CAPTURE(name);
    const std::string samples = scratch / name;
    const Ended ended = gpuccl({"label", mask, "--intensity", samples, "--json", "-"});
    CHECK(ended.code == 0);
    CHECK(ended.err == "gpuccl: warning: " + samples + ": data after its samples is ignored\n");
  }
}

TEST_CASE_METHOD(TwoComponents, "compressed samples of detached headers are those of their own header") {
  const auto movie = [&](const std::string& name, char first, char second) {
    write_file(scratch / (name + ".nhdr"),
               "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 2 1 2\nkinds: space space "
               "space time\nencoding: gzip\ndata file: " +
                   name + ".gz\n");
    write_file(scratch / (name + ".gz"), tests::gzipped(std::string(4, first) + std::string(4, second)));
    return scratch / (name + ".nhdr");
  };
  const std::string a = movie("a", 10, 20), b = movie("b", 50, 60);
  const auto table = [&](const std::string& frame, const std::string& samples) {
    return gpuccl({"label", a, "--frame", frame, "--intensity", samples, "--measure", "intensity_max",
                   "--stats", "-"})
        .out;
  };
  CHECK(table("1", a + "," + b).ends_with(",20,60\n"));
  const std::string all = table("all", b);
  CHECK(all.find(",50\n") != std::string::npos);
  CHECK(all.ends_with(",60\n"));
}

TEST_CASE_METHOD(TwoComponents, "a batch does not write over an intensity image of a later input") {
  fs::create_directories(scratch / "scans/sub");
  fs::create_directories(scratch / "grays/sub");
  for (const char* name : {"a", "sub/a"}) {
    fs::copy_file(input, scratch / ("scans/" + std::string(name) + ".png"));
    fs::copy_file(gray, scratch / ("grays/" + std::string(name) + ".tiff"));
  }
  const std::string before = read_file(gray);
  fails({"label", scratch / "scans", "--recursive", "--intensity", scratch / "grays", "-o",
         scratch / "grays/sub/"},
        64, "a.tiff");
  CHECK(read_file(scratch / "grays/sub/a.tiff") == before);
}

TEST_CASE_METHOD(TwoComponents, "samples that are no numbers are counted, left out and said") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string floats = scratch / "f.npy";
  write_file(floats,
             tests::npy("<f4", "(2, 5)", tests::bytes_of<float>({nan, 3, 9, 9, nan, 9, nan, 9, 9, nan})));
  const Ended ended = gpuccl({"label", input, "--intensity", floats, "--json", "-"});
  CHECK(ended.code == 0);
  CHECK(ended.err == "gpuccl: warning: " + floats + ": 3 samples of components are NaN and are ignored\n");
  const Json report = Json::parse(ended.out);
  CHECK(report["intensity"]["nans"] == 3);
  write_file(floats, tests::npy("<f4", "(2, 5)", tests::bytes_of<float>({nan, 3, 9, 9, 1, 9, 1, 9, 9, 1})));
  CHECK(gpuccl({"label", input, "--intensity", floats, "--json", "-"})
            .err.ends_with(": 1 sample of a component is NaN and is ignored\n"));
  CHECK(report["components"][0]["intensity_mean"] == 3);
  CHECK(report["components"][0]["intensity_nan"] == 1);
  CHECK(report["components"][0]["intensity_median"].is_null());
  CHECK(report["components"][1]["intensity_mean"].is_null());
}

tests::TiffPageToWrite page(const std::vector<std::uint64_t>& samples) {
  tests::TiffPageToWrite one;
  one.width = static_cast<std::uint32_t>(samples.size());
  one.height = 1;
  one.bits = 8;
  one.samples = samples;
  return one;
}

TEST_CASE("a hyperstack of a mask and a signal is labeled and measured") {
  const ScratchFolder scratch;
  const std::string stack = scratch / "stack.tif";
  std::vector<tests::TiffPageToWrite> pages = {page({1, 0, 0}), page({5, 6, 7}), page({1, 0, 1}),
                                               page({8, 9, 20})};
  pages[0].more = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION,
                 "ImageJ=1.53\nimages=4\nchannels=2\nslices=2\nhyperstack=true\n");
  };
  tests::write_tiff(stack, pages);
  const Words words = {stack, "--channel", "0", "-c", "6", "--intensity", stack};
  const Json components = report_of(joined(words, {"--intensity-channel", "1"}))["components"];
  REQUIRE(components.size() == 2);
  CHECK(components[0]["intensity_sum"] == 13);
  CHECK(components[1]["intensity_sum"] == 20);
  Words refused = words;
  refused.insert(refused.begin(), "label");
  refused.insert(refused.end(), {"--json", "-"});
  fails(refused, 65, "contains 2 channels; --intensity-channel N selects one, from 0");
  // Time points have the columns of their channels.
  pages[0].more = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION,
                 "ImageJ=1.53\nimages=4\nchannels=2\nframes=2\nhyperstack=true\n");
  };
  const std::string movie = scratch / "movie.tif";
  tests::write_tiff(movie, pages);
  const std::string table =
      succeeds({"label", movie, "--channel", "0", "--frame", "all", "--intensity", movie,
                "--intensity-channel", "all", "--measure", "intensity_max", "--stats", "-", "--quiet"});
  CHECK_THAT(table, tests::containing(",intensity_max[0],intensity_max[1]\n"));
  CHECK(table.ends_with(",1,20\n"));
  // Slices of a channel may be labeled each on its own, channels may not.
  fails({"label", stack, "--per-slice", "--json", "-"}, 65,
        "stack.tif: contains 2 channels; --channel N selects one, from 0\n");
  CHECK(report_of({stack, "--per-slice", "--channel", "0"})["components"].size() == 3);
}

TEST_CASE("columns of several images keep letters of every language") {
  const ScratchFolder scratch;
  const std::string mask = save_gray(scratch / "mask.tif", {{1, 1}});
  const std::string ph = save_gray(scratch / "фаза µ.tif", {{3, 5}}),
                    odd = save_gray(scratch / "b\xff.tif", {{7, 9}});
  const std::string table =
      succeeds({"label", mask, "--intensity", ph + "," + odd, "--measure", "intensity_mean", "--keep",
                "intensity_mean[фаза_µ] > 3", "--stats", "-", "--quiet"});
  CHECK(table ==
        "label,area,x0,y0,x1,y1,cx,cy,intensity_mean[фаза_µ],intensity_mean[b_]\n1,2,0,0,1,0,0.5,0,4,8\n");
}

TEST_CASE_METHOD(TwoComponents, "a batch finds intensities by name") {
  const std::string in = scratch / "in", of = scratch / "of";
  for (const std::string& folder : {in, in + "/deep", of, of + "/deep"}) fs::create_directories(folder);
  for (const char* name : {"/a.png", "/deep/b.png", "/c.png", "/d.png"}) fs::copy_file(input, in + name);
  fs::copy_file(gray, of + "/a.tif");
  fs::copy_file(gray, of + "/deep/b.tiff");
  fs::copy_file(gray, of + "/d.tif");
  fs::copy_file(gray, of + "/d.tiff");
  const Ended ended = gpuccl({"label", in, "--recursive", "--intensity", of, "--json-dir", scratch / "out"});
  CHECK(ended.code == 66);
  CHECK(ended.err.find(in + "/c.png: has no intensity image; missing: " + of +
                       "/c of any format; --intensity-name PATTERN pairs other names") != std::string::npos);
  CHECK(ended.err.find(in + "/d.png: has more than one intensity image") != std::string::npos);
  for (const char* name : {"/out/a.json", "/out/deep/b.json"}) {
    const Json report = Json::parse(read_file(scratch.path().string() + name));
    CHECK(report["components"][1]["intensity_mean"] == 20);
  }
  fails({"label", in, "--intensity", gray, "--json-dir", scratch / "out"}, 64, "--intensity FOLDER/");

  // One line if no input has an image.
  const std::string other = scratch / "other";
  fs::create_directories(other);
  fs::copy_file(gray, other + "/x.tif");
  const auto none = [&](const std::string& what, const std::string& name, const std::string& more) {
    return in + "/a.png: has no " + what + "; missing: " + other + "/" + name + " of any format" + more;
  };
  for (const char* command : {"label", "measure"})
    fails({command, in, "--intensity", of + "," + other, "--stats", "-"}, 66,
          none("intensity image", "a", "; --intensity-name PATTERN pairs other names (all 3 inputs fail)"));
  fails({"label", in, "--recursive", "--seeds", other, "--stats", "-"}, 66,
        none("mask of seeds", "a", " (all 4 inputs fail)"));
  fails({"label", in, "--intensity", other, "--intensity-name", "*_y", "--stats", "-"}, 66,
        none("intensity image", "a_y", " (all 3 inputs fail)"));
  // A report has a line for each, and none of an earlier run.
  const std::string lines = scratch / "lines.jsonl";
  write_file(lines, "{}\n");
  CHECK(gpuccl({"label", in, "--intensity", other, "--stats", scratch / "t.csv", "--report", lines}).code ==
        66);
  const std::string text = read_file(lines);
  CHECK(text.starts_with("{\"input\":\"" + in + "/a.png\",\"status\":\"failed\",\"code\":66,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);

  // Names that differ: a_mask.png has a_0001.tif.
  const std::string masks = scratch / "masks";
  fs::create_directories(masks);
  fs::copy_file(input, masks + "/a_mask.png");
  fs::copy_file(gray, of + "/a_0001.tif");
  fs::copy_file(input, masks + "/other.png");  // skipped
  for (const char* pattern : {"*_mask=*_0001", "*ask=*_0001"}) {
    const Ended named = gpuccl(
        {"label", masks, "--intensity", of, "--intensity-name", pattern, "--json-dir", scratch / "named"});
    CHECK(named.code == (pattern[1] == '_' ? 0 : 66));
    CHECK(named.err.find("warning: 1 image skipped: not named *") != std::string::npos);
    if (named.code == 0)
      CHECK(Json::parse(read_file(scratch / "named/a_mask.json"))["components"][1]["intensity_mean"] == 20);
  }
  fails({"label", masks, "--intensity", of, "--intensity-name", "x", "--json-dir", scratch / "n"}, 64,
        "is not a pattern");
  fails({"label", masks, "--intensity", of, "--intensity-name", "*_no=*", "--json-dir", scratch / "n"}, 66,
        "contains no image whose name matches --intensity-name");
  // A pattern of the shell may match one file; a name that is given must match.
  const auto one = [&](const std::string& mask) {
    return gpuccl(
        {"label", masks + mask, "--intensity", of, "--intensity-name", "*_mask=*_0001", "--stats", "-"});
  };
  CHECK(one("/a_mask.png").out.find("file,label,area,") == 0);
  CHECK(one("/other.png").code == 66);
  CHECK(one("/other.png").err.find("has a name that does not match *_mask") != std::string::npos);
  fails({"label", input, "--intensity", gray, "--intensity-name", "*_1", "--json", "-"}, 64,
        "--json is for one input");

  Words again = {"label", in + "/a.png", "--skip-existing", "--intensity", of, "--json-dir", scratch / "out"};
  CHECK(gpuccl(again).err.find("1 skipped") != std::string::npos);
  fs::last_write_time(of + "/a.tif", fs::file_time_type::clock::now() + std::chrono::hours(1));
  CHECK(gpuccl(again).err.find("skipped") == std::string::npos);
}

}  // namespace
}  // namespace gpuccl
