// gpuccl measure: what it writes and refuses. tests/python/test_label.py compares its numbers with
// scikit-image.

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"

namespace gpuccl {
namespace {

using tests::bytes_of;

/// A label image of 4 x 2 pixels.
std::string object_file(const ScratchFolder& scratch, const std::string& name, const std::string& type,
                        const std::string& bytes) {
  return save_nrrd(scratch / name, type, "4 2", bytes);
}

// 9 consists of two pieces, one of which touches 4.
const std::string kLabels{9, 9, 0, 0, 0, 4, 9, 0};
constexpr const char* kHeader = "label,area,x0,y0,x1,y1,cx,cy\n";

}  // namespace

TEST_CASE("values of 64 bits and floating-point integers are labels, others are refused") {
  const ScratchFolder scratch;
  const auto table = [&](const std::string& type, const std::string& bytes) {
    return succeeds({"measure", object_file(scratch, "in.nrrd", type, bytes), "--stats", "-"});
  };
  CHECK(table("uint64", bytes_of<std::uint64_t>({UINT64_MAX, 0, 0, 0, 0, 0, 0, 5})) ==
        kHeader + std::string("5,1,3,1,3,1,3,1\n18446744073709551615,1,0,0,0,0,0,0\n"));
  CHECK(table("float", bytes_of<float>({0, 0, 1e6f, 0, 0, 0, 0, 5})) ==
        kHeader + std::string("5,1,3,1,3,1,3,1\n1000000,1,2,0,2,0,2,0\n"));
  const auto is_refused = [&](const std::string& type, const std::string& bytes, const std::string& reason) {
    fails({"measure", object_file(scratch, "in.nrrd", type, bytes), "--stats", scratch / "out.csv"}, 65,
          reason);
    CHECK(!std::filesystem::exists(scratch / "out.csv"));
  };
  is_refused("double", bytes_of<double>({1, 2.5, 0, 0, 0, 0, 0, 0}), "2.5, which is not a label");
  is_refused("float", bytes_of<float>({0, 16777218, 0, 0, 0, 0, 0, 0}),
             "16777218, which is not a label: float32 skips integers above 2^24; store labels as integers");
  is_refused("double", bytes_of<double>({0, 9007199254740994, 0, 0, 0, 0, 0, 0}),
             "which is not a label: float64 skips integers above 2^53; store labels as 64-bit integers");
  is_refused("double", bytes_of<double>({0, std::numeric_limits<double>::infinity(), 0, 0, 0, 0, 0, 0}),
             "inf, which is not a label: labels are integers");
  CHECK(succeeds({"measure", object_file(scratch, "in.nrrd", "short", std::string(16, '\0')), "--quiet",
                  "--stats", "-"}) == kHeader);
}

TEST_CASE("NaN is background, with a hint") {
  const ScratchFolder scratch;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::string labels =
      object_file(scratch, "labels.nrrd", "float", bytes_of<float>({kNan, 3, 3, 0, kNan, kNan, 0, 0}));
  const Ended ended = gpuccl({"measure", labels, "--stats", "-"});
  CHECK(ended.out == kHeader + std::string("3,2,1,0,2,0,1.5,0\n"));
  CHECK(ended.err.find("some values are NaN and count as background") != std::string::npos);
  const std::string none =
      object_file(scratch, "none.nrrd", "float", bytes_of<float>({kNan, 0, 0, 0, 0, 0, 0, 0}));
  CHECK(gpuccl({"measure", none, "--stats", "-"}).err.find("every value is 0 or NaN") != std::string::npos);
  CHECK(gpuccl({"match", labels, labels}).err.find("some values are NaN") != std::string::npos);
  const std::string without =
      object_file(scratch, "without.nrrd", "float", bytes_of<float>({0, 3, 3, 0, 0, 0, 0, 0}));
  const auto agree = [&](Words words, const std::string& result) {
    const Ended has = gpuccl(words);
    CHECK(has.out == result);
    CHECK(has.err == "gpuccl: warning: " + labels + ": some values are NaN and count as background\n");
  };
  agree({"compare", labels, without}, "same labels\n");
  CHECK(gpuccl({"compare", labels, without, "--quiet"}).err.empty());
  agree({"view", labels, "-o", scratch / "a.html"}, "");
  const Ended contacts = gpuccl({"contacts", labels});
  CHECK(contacts.out == gpuccl({"contacts", without}).out);
  CHECK(contacts.err.find("some values are NaN and count as background") != std::string::npos);
}

TEST_CASE("a batch measures several images of each input, and takes rows from reports") {
  const ScratchFolder scratch;
  for (const char* const folder : {"labels", "dapi", "gfp", "nnunet"})
    std::filesystem::create_directory(scratch / folder);
  for (const std::string name : {"a", "b"}) {
    object_file(scratch, "labels/" + name + ".nrrd", "uint8", kLabels);
    object_file(scratch, "dapi/" + name + ".nrrd", "uint8", {1, 2, 0, 0, 0, 7, 6, 0});
    object_file(scratch, "gfp/" + name + ".nrrd", "uint8", {4, 4, 0, 0, 0, 3, 1, 0});
    object_file(scratch, "nnunet/" + name + "_0000.nrrd", "uint8", {1, 2, 0, 0, 0, 7, 6, 0});
    object_file(scratch, "nnunet/" + name + "_0001.nrrd", "uint8", {4, 4, 0, 0, 0, 3, 1, 0});
  }
  const auto table = [&](const Words& more) {
    succeeds(joined({"measure", scratch / "labels", "--stats", scratch / "all.csv", "--json-dir",
                     scratch / "reports", "--measure", "shape,intensity", "--quiet"},
                    more));
    return read_file(scratch / "all.csv");
  };
  const Words folders{"--intensity", (scratch / "dapi") + "," + (scratch / "gfp")};
  const std::string first = table(folders);
  CHECK(first.find("intensity_mean[dapi]") != std::string::npos);
  CHECK(first.find("cz_weighted[gfp]") != std::string::npos);
  const Words again = joined(folders, {"--skip-existing"});
  CHECK(table(again) == first);  // 2D inputs have no depth and no cz_weighted
  // Not if one of the images is another one.
  object_file(scratch, "gfp/b.nrrd", "uint8", {5, 4, 0, 0, 0, 3, 1, 0});
  CHECK(table(again) != first);

  const std::string by_name = table({"--intensity", scratch / "nnunet", "--intensity-name", "*_0000,*_0001"});
  CHECK(by_name.find("intensity_mean[0001]") != std::string::npos);
  const Ended all = gpuccl({"measure", scratch / "labels", "--stats", "-", "--measure", "intensity_mean",
                            "--intensity", scratch / "dapi", "--intensity-channel", "all"});
  CHECK(all.code == 0);
  CHECK(all.out.find("intensity_mean[0]") != std::string::npos);
  fails({"measure", scratch / "labels", "--stats", "-", "--intensity-name", "*_0,*_1,*_2", "--intensity",
         (scratch / "dapi") + "," + (scratch / "gfp")},
        64, "2 folders, but --intensity-name has 3 patterns");
}

TEST_CASE("a folder of labels of time points becomes one file of them") {
  const ScratchFolder scratch;
  const std::string movie = save_nrrd(scratch / "movie.nrrd", "uint8", "4 2 1 3", kLabels + kLabels + kLabels,
                                      "kinds: space space space time\n"),
                    frames = scratch / "frames/", joined_file = scratch / "movie.npy";
  succeeds(
      {"label", movie, "--frame", "all", "-o", frames, "--format", "npy", "--label-type", "u16", "--quiet"});
  succeeds({"measure", frames, "--stack", "-o", joined_file, "--quiet"});
  std::string samples;
  const auto samples_of = [](const std::string& file) { return file.substr(file.find('\n') + 1); };
  for (const char* name : {"movie-t0000.npy", "movie-t0001.npy", "movie-t0002.npy"})
    samples += samples_of(read_file(frames + name));
  const std::string all = read_file(joined_file);
  CHECK(samples_of(all) == samples);
  CHECK(all.find("(3, 2, 4)") != std::string::npos);  // T, Y, X
}

TEST_CASE("a layer of several segments of Slicer is a channel with a number") {
  const ScratchFolder scratch;
  const std::string image =
      save_nrrd(scratch / "a.seg.nrrd", "uint8", "2 2 2 2", std::string(16, '\1'),
                "kinds: list domain domain domain\nSegment0_Layer:=0\nSegment0_LabelValue:=1\n"
                "Segment0_Name:=rib\nSegment1_Layer:=1\nSegment1_LabelValue:=5\n"
                "Segment1_Name:=cyst\nSegment2_Layer:=1\nSegment2_LabelValue:=7\n"
                "Segment2_Name:=liver\n");
  const std::string table =
      succeeds({"measure", image, "--channel", "0", "--intensity", image, "--intensity-channel", "all",
                "--measure", "intensity_mean", "--quiet", "--stats", "-"});
  CHECK(table.find(",intensity_mean[rib],intensity_mean[1]\n") != std::string::npos);
}

TEST_CASE("time points and images of a folder belong together in their order") {
  const WorkFolder folder;
  folder.make_folders({"stills", "values"});
  const std::string labels = kLabels + std::string{0, 0, 5, 0, 0, 0, 0, 0},
                    samples{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                    kinds = "kinds: space space space time\n";
  folder.nrrd("movie.nrrd", "4 1 2 2", labels, "uint8", kinds);
  folder.nrrd("samples.nrrd", "4 1 2 2", samples, "uint8", kinds);
  for (const auto& [name, first] : {std::pair("f9.nrrd", 0u), {"f10.nrrd", 8u}}) {
    folder.nrrd(std::string("stills/") + name, "4 1 2", labels.substr(first, 8));
    folder.nrrd(std::string("values/") + name, "4 1 2", samples.substr(first, 8));
  }
  const auto column = [&](const std::string& words) {
    return folder.succeeds("measure " + words + " --measure intensity_max --stats - --quiet");
  };
  // A movie with a time point for each input, next to a folder with an image of each name.
  const std::string mixed = column("stills/ --intensity samples.nrrd,values/");
  for (const char* line : {",6,6\n", ",7,7\n", ",11,11\n"}) CHECK_THAT(mixed, tests::containing(line));
  const std::string by_order = column("stills/ --intensity samples.nrrd --json-dir json");
  CHECK(by_order.ends_with("stills/f10.nrrd,5,1,2,0,0,2,0,0,2,0,0,,,,,,11\n"));
  CHECK(has(Json::parse(folder.read("json/f10.json"))["options"], "--intensity-frame 1"));
  CHECK(column("movie.nrrd --frame all --intensity values/") ==
        column("movie.nrrd --frame all --intensity samples.nrrd"));
  folder.fails("measure stills/ --intensity samples.nrrd --intensity-name '*=*_0000' --stats -", 64,
               "--intensity-name is for folders");
  std::filesystem::remove(folder / "values/f9.nrrd");
  folder.fails("measure movie.nrrd --frame all --intensity values/ --stats -", 66, "has no intensity image");
  folder.nrrd("stills/f11.nrrd", "4 1 2", kLabels);
  folder.fails("measure stills/ --intensity samples.nrrd --stats -", 64, "use --intensity FOLDER/");
}

TEST_CASE("all time points of a time axis with one are that one") {
  const ScratchFolder scratch;
  const std::string store = scratch / "one.zarr";
  std::filesystem::create_directories(store);
  write_file(store + "/.zarray",
             R"({"zarr_format":2,"shape":[1,1,2],"chunks":[1,1,2],"dtype":"|u1","order":"C","fill_value":1,)"
             R"("compressor":null,"filters":null})");
  write_file(store + "/.zattrs", R"({"_ARRAY_DIMENSIONS":["time","lat","lon"]})");
  succeeds({"label", store, "--frame", "all", "-o", scratch / "out/", "--format", "npy", "--quiet"});
  CHECK(std::filesystem::exists(scratch / "out/one-t0000.npy"));
}

TEST_CASE("convex hulls of objects in pieces span the rows between these") {
  const ScratchFolder scratch;
  // Two pixels in the last of 6 columns, with two rows between them; then two in opposite corners.
  const auto measured = [&](const std::string& bytes) {
    return succeeds({"measure", save_nrrd(scratch / "in.nrrd", "uint8", "6 4", bytes), "--measure",
                     "area_convex,feret_diameter_max,feret_diameter_min,solidity", "--stats", "-",
                     "--quiet"});
  };
  std::string column(24, '\0'), corners(24, '\0');
  column[5] = column[23] = 1;
  corners[0] = corners[23] = 1;
  CHECK(measured(column).ends_with("\n1,2,5,0,5,3,5,1.5,4,1,4,0.5\n"));
  CHECK(measured(corners).find("\n1,2,0,0,5,3,2.5,1.5,") != std::string::npos);
}

}  // namespace gpuccl
