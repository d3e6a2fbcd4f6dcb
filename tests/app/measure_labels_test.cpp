// gpuccl measure: what it writes and refuses. tests/python/test_label.py compares its numbers with
// scikit-image.

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

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

TEST_CASE("several images and channels have columns of their own") {
  const ScratchFolder scratch;
  const std::string labels = object_file(scratch, "labels.nrrd", "uint8", kLabels);
  const std::string dapi = object_file(scratch, "dapi.nrrd", "uint8", {1, 2, 0, 0, 0, 7, 6, 0});
  const std::string gfp =
      object_file(scratch, "gfp.nrrd", "double", bytes_of<double>({0.5, 0.5, 0, 0, 0, 0.25, -1, 0}));
  const std::string both = dapi + "," + gfp;
  const std::string header = "label,area,x0,y0,x1,y1,cx,cy,";
  const auto fields_of = [](const std::string& table) {  // without position
    std::string fields;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::size_t at = 0;
      for (int i = 0; i < 8; ++i) at = line.find(',', at) + 1;
      fields += line.substr(at) + "\n";
    }
    return fields;
  };
  const auto measured = [&](const std::string& command, const Words& more) {
    return succeeds(joined({command, labels, "--stats", "-", "--quiet"}, more));
  };
  const Words means{"--intensity", both, "--measure", "intensity_mean,intensity_max,extent"};
  const std::string table = measured("measure", means);
  CHECK(table.starts_with(header + "extent,intensity_max[dapi],intensity_mean[dapi],intensity_max[gfp],"
                                   "intensity_mean[gfp]\n"));
  CHECK(fields_of(table).ends_with("1,7,7,0.25,0.25\n0.5,6,3,0.5,0\n"));
  const Words of_one{"--intensity", gfp, "--measure", "intensity_mean"};
  CHECK(fields_of(
            measured("label", {"--values", "-c", "8", "--intensity", both, "--measure", "intensity_mean"})) ==
        "value,intensity_mean[dapi],intensity_mean[gfp]\n9,3,0\n4,7,0.25\n");
  CHECK(fields_of(measured("measure", of_one)) == "intensity_mean\n0.25\n0\n");

  const Json report =
      Json::parse(succeeds({"measure", labels, "--json", "-", "--intensity", both, "--quiet"}));
  CHECK(report["components"][1]["intensity_sum[dapi]"] == 9);
  CHECK(report["intensity"][0]["name"] == "dapi");
  CHECK(report["intensity"][1]["path"] == gfp);

  // Filters name the image.
  Words kept{"--intensity", both, "--keep", "intensity_mean[gfp] < 0.1", "--measure", "extent"};
  CHECK(fields_of(measured("measure", kept)) == "extent\n0.5\n");
  kept[3] = "intensity_mean[dapi] > 5 or intensity_sum[gfp] > 7";
  CHECK(fields_of(measured("measure", kept)) == "extent\n1\n");
  const auto refuses = [&](const std::string& condition, const std::string& image, const std::string& said) {
    fails({"measure", labels, "--stats", "-", "--intensity", image, "--keep", condition}, 64, said);
  };
  refuses("intensity_mean > 1", both, "needs the name of an image in brackets: dapi or gfp");
  refuses("intensity_mean[red] > 1", both, "no intensity image has this name; the names are dapi or gfp");
  refuses("intensity_mean[gfp] > 1", gfp, "leave out the brackets");
  refuses("area[gfp] > 1", both, "is not measured in images of samples");
  refuses("intensity_mean[gfp > 1", both, "has no closing bracket");
  refuses("area > 1", dapi + "," + dapi, "two images are called 'dapi'");
  fails({"measure", labels, "--stats", "-", "--intensity", dapi + ",-"}, 64, "can serve only one image");

  const std::string page = scratch / "page.html";
  succeeds({"label", labels, "--intensity", both, "--measure", "intensity_mean", "--view", page, "--quiet"});
  CHECK(read_file(page).find(
            R"("definition":"Mean of the samples","filters":true,"name":"intensity_mean[gfp]")") !=
        std::string::npos);

  // Channels of a pixel.
  const std::string colors = scratch / "colors.ppm";
  std::string samples;
  for (int i = 0; i < 8; ++i)
    samples += {static_cast<char>(i), static_cast<char>(2 * i), static_cast<char>(9)};
  write_file(colors, "P6 4 2 255\n" + samples);
  const std::string all = measured(
      "measure", {"--intensity", colors, "--intensity-channel", "all", "--measure", "intensity_sum"});
  CHECK(fields_of(all) == "intensity_sum[0],intensity_sum[1],intensity_sum[2]\n5,10,9\n7,14,27\n");
  const Words two{"--intensity",          colors,      "--intensity-channel", "2,0", "--keep",
                  "intensity_sum[0] > 6", "--measure", "intensity_sum"};
  CHECK(fields_of(measured("measure", two)) == "intensity_sum[2],intensity_sum[0]\n27,7\n");
  fails({"measure", labels, "--stats", "-", "--intensity", colors, "--intensity-channel", "0,0"}, 64,
        "twice");
  fails({"measure", labels, "--stats", "-", "--intensity", colors, "--intensity-channel", "0,3"}, 65,
        "has no channel 3");
  fails({"measure", labels, "--stats", "-", "--intensity", colors, "--intensity-channel", "all", "--keep",
         "intensity_sum[3] > 1"},
        64, "no intensity image has this name; the names are 0, 1 or 2");

  // Named channels of an OME-Zarr.
  const std::string stains = scratch / "stains.zarr";
  std::filesystem::create_directories(stains + "/0");
  write_file(stains + "/.zgroup", R"({"zarr_format":2})");
  write_file(stains + "/.zattrs",
             R"({"omero":{"channels":[{"label":"DAPI"},{"label":"Alexa 488"}]},"multiscales":[{"axes":[)"
             R"({"name":"c","type":"channel"},{"name":"y","type":"space"},{"name":"x","type":"space"}],)"
             R"("datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,1,1]}]}],)"
             R"("version":"0.4"}]})");
  write_file(stains + "/0/.zarray",
             R"({"zarr_format":2,"shape":[2,2,4],"chunks":[2,2,4],"dtype":"|u1","order":"C","fill_value":0,)"
             R"("compressor":null,"filters":null,"dimension_separator":"/"})");
  std::filesystem::create_directories(stains + "/0/0/0");
  write_file(stains + "/0/0/0/0", {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 4, 6, 8, 10, 12, 14});
  const Words by_name{"--intensity", stains, "--measure", "intensity_sum", "--intensity-channel"};
  CHECK(fields_of(measured("measure", joined(by_name, {"all"}))) ==
        "intensity_sum[DAPI],intensity_sum[Alexa_488]\n5,10\n7,14\n");
  CHECK(fields_of(measured("measure",
                           joined(by_name, {"Alexa 488,DAPI", "--keep", "intensity_sum[Alexa_488] > 10"}))) ==
        "intensity_sum[Alexa_488],intensity_sum[DAPI]\n14,7\n");
  fails(joined({"measure", labels, "--stats", "-"}, joined(by_name, {"DAPI,GFP"})), 65, "has no 'GFP' among");
  for (const char* const twice : {"DAPI,0", "1,Alexa 488"})
    fails(joined({"measure", labels, "--stats", "-"}, joined(by_name, {twice})), 64,
          "--intensity-channel selects one channel twice, as ");
  CHECK(fields_of(measured("measure", joined(by_name, {"DAPI,1"}))) ==
        "intensity_sum[DAPI],intensity_sum[1]\n5,10\n7,14\n");
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

TEST_CASE("every time point is an input of its own") {
  const ScratchFolder scratch;
  const auto save_movie = [&](const std::string& name, const std::string& bytes) {
    return save_nrrd(scratch / name, "uint8", "4 1 2 2", bytes, "kinds: space space space time\n");
  };
  const std::string movie = save_movie("movie.nrrd", kLabels + std::string{0, 0, 5, 0, 0, 0, 0, 0}),
                    samples =
                        save_movie("samples.nrrd", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  const std::string table =
      succeeds({"measure", movie, "--frame", "all", "--stats", "-", "--quiet", "--intensity", samples,
                "--measure", "intensity_max", "-o", scratch / "out/"});
  CHECK(table.find("file,frame,label,area,") == 0);
  CHECK(table.find(movie + ",0,4,1,") != std::string::npos);
  CHECK(table.ends_with(movie + ",1,5,1,2,0,0,2,0,0,2,0,0,,,,,,11\n"));
  // So is a time point alone, unless another one is chosen.
  Words one = {"measure",   movie,           "--frame", "1", "--intensity", samples,
               "--measure", "intensity_max", "--stats", "-", "--quiet"};
  CHECK(succeeds(one).ends_with(",11\n"));
  one.insert(one.end(), {"--intensity-frame", "0"});
  CHECK(succeeds(one).ends_with(",3\n"));
  fails({"measure", movie, "--intensity", samples, "--json", "-"}, 65, "--frame N selects one");
  const Ended alone = gpuccl({"measure", movie, "--frame", "1", "-o", scratch / "one.nrrd"});
  CHECK(alone.code == 0);
  CHECK(read_file(scratch / "out/movie-t0001.nrrd") == read_file(scratch / "one.nrrd"));
  const Json report = Json::parse(read_file(scratch / "out/movie-t0001.json"));
  CHECK(report["options"].get<std::string>().find("--frame 1") != std::string::npos);
  // Time points and images of a folder belong together in their order.
  const std::string stills = scratch / "stills/", values = scratch / "values/";
  for (const std::string& folder : {stills, values}) std::filesystem::create_directories(folder);
  for (const auto& [name, first] : {std::pair("f9.nrrd", 0), {"f10.nrrd", 8}}) {
    save_nrrd(stills + name, "uint8", "4 1 2",
              (kLabels + std::string{0, 0, 5, 0, 0, 0, 0, 0}).substr(first, 8));
    save_nrrd(values + name, "uint8", "4 1 2",
              read_file(samples).substr(read_file(samples).size() - 16 + static_cast<std::size_t>(first), 8));
  }
  const auto column = [&](const Words& words) {
    return succeeds(joined(words, {"--measure", "intensity_max", "--stats", "-", "--quiet"}));
  };
  // A movie with a time point for each input, next to a folder with an image of each name.
  const std::string mixed = column({"measure", stills, "--intensity", samples + "," + values});
  for (const char* line : {",6,6\n", ",7,7\n", ",11,11\n"}) CHECK_THAT(mixed, tests::containing(line));
  const std::string by_order =
      column({"measure", stills, "--intensity", samples, "--json-dir", scratch / "json"});
  fails({"measure", stills, "--intensity", samples, "--intensity-name", "*=*_0000", "--stats", "-"}, 64,
        "--intensity-name is for folders");
  CHECK(by_order.ends_with(stills + "f10.nrrd,5,1,2,0,0,2,0,0,2,0,0,,,,,,11\n"));
  const Json still = Json::parse(read_file(scratch / "json/f10.json"));
  CHECK(still["options"].get<std::string>().find("--intensity-frame 1") != std::string::npos);
  CHECK(column({"measure", movie, "--frame", "all", "--intensity", values}) == table);
  std::filesystem::remove(values + "f9.nrrd");
  fails({"measure", movie, "--frame", "all", "--intensity", values, "--stats", "-"}, 66,
        "has no intensity image");
  std::filesystem::remove(stills + "f9.nrrd");
  save_nrrd(stills + "f11.nrrd", "uint8", "4 1 2", kLabels);
  save_nrrd(stills + "f12.nrrd", "uint8", "4 1 2", kLabels);
  fails({"measure", stills, "--intensity", samples, "--stats", "-"}, 64, "use --intensity FOLDER/");
  // Rows from reports are the same.
  fails({"measure", movie, "--frame", "all", "-o", scratch / "x.tif"}, 64,
        "--frame all needs an output folder");
  fails({"measure", movie, "--frame", "all", "-o", "-"}, 64, "--frame all and -o - cannot be combined");
  CHECK(succeeds({"measure", movie, "--frame", "all", "--stats", "-", "--quiet", "--intensity", samples,
                  "--measure", "intensity_max", "-o", scratch / "out/", "--skip-existing"}) == table);
  const std::string lines = succeeds(
      {"label", movie, "--frame", "all", "--stats", scratch / "all.csv", "--report", "-", "--quiet"});
  CHECK(lines.find("\"frame\":1,\"status\":\"labeled\"") != std::string::npos);
  // The table of inputs has a row for each time point, also if rows are taken from reports.
  for (const char* command : {"measure", "label"}) {
    const Words words = {command,   movie, "--frame",        "all", "--summary", "-",
                         "--quiet", "-o",  scratch / "sums/"};
    const std::string sums = succeeds(words);
    CHECK(sums.find("file,frame,page,value,components,area,") == 0);
    CHECK(sums.find("\n" + movie + ",0,,,") != std::string::npos);
    CHECK(sums.find("\n" + movie + ",1,,,1,1,0.125,1,1,1,") != std::string::npos);
    CHECK(succeeds(joined(words, {"--skip-existing"})) == sums);
  }
  fails({"measure", movie, "--frame", "all", "--json", "-"}, 64, "--json is for one input");
  fails({"measure", movie, "--frame", "some", "--json", "-"}, 64, "nor all");
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

TEST_CASE("all time points of an input without a time axis are refused") {
  const ScratchFolder scratch;
  const std::string volume = scratch / "volume.nrrd", pages = scratch / "pages.tif",
                    flat = scratch / "flat.npy";
  save_nrrd(volume, "uint8", "4 1 2", kLabels);
  succeeds({"label", volume, "--values", "-o", pages, "--bigtiff", "no", "--quiet"});
  succeeds({"label", object_file(scratch, "flat.nrrd", "uint8", kLabels), "-o", flat, "--quiet"});
  const std::string remedy =
      "contains one time point; --frame all is for several; save its pages with a time axis, or each time "
      "point "
      "as a file in a folder";
  const std::string one =
      save_nrrd(scratch / "one.nrrd", "uint8", "4 2 1", kLabels, "kinds: space space time\n");
  succeeds({"measure", one, "--frame", "all", "-o", scratch / "one/", "--quiet"});
  for (const std::string& input : {volume, pages, flat}) {
    CAPTURE(input);
    for (const char* command : {"label", "measure"}) {
      const Ended ended = gpuccl({command, input, "--frame", "all", "-o", scratch / "out/"});
      CHECK(ended.code == 65);
      CHECK(ended.err.find(remedy) != std::string::npos);
    }
    fails({"match", input, input, "--frame", "all"}, 65, remedy);
  }
}

TEST_CASE("pages that --page selects keep their numbers in the table of inputs") {
  const ScratchFolder scratch;
  const std::string volume = scratch / "volume.nrrd", pages = scratch / "pages.tif";
  save_nrrd(volume, "uint8", "2 1 4", kLabels);
  succeeds({"label", volume, "-o", pages, "--quiet"});
  for (const std::string& input : {volume, pages}) {
    CAPTURE(input);
    const Words words = {"label",     input, "--page",  "2..3",       "--per-slice",
                         "--summary", "-",   "--quiet", "--json-dir", scratch / "out"};
    const std::string table = succeeds(words);
    CHECK(table.find("\n" + input + ",2,,1,1,") != std::string::npos);
    CHECK(table.find("\n" + input + ",3,,1,1,") != std::string::npos);
    CHECK(succeeds(joined(words, {"--skip-existing"})) == table);
    CHECK(succeeds({"label", input, "--page", "1", "--per-slice", "--summary", "-", "--quiet"})
              .find("\n" + input + ",1,,0,0,") != std::string::npos);
  }
}

TEST_CASE("options that measure does not support are refused") {
  const ScratchFolder scratch;
  const std::string labels = object_file(scratch, "labels.nrrd", "uint8", kLabels);
  fails({"measure", labels, "--stats", "-", "--measure", "cavities"}, 64, "label --value V");
  fails({"measure", labels, "--stats", "-", "--keep", "tunnels == 1"}, 64, "label --value V");
  fails({"measure", labels, "--stats", "-", "--relabel", "-o", scratch / "o.tif", "--keep", "label == 1"}, 64,
        "compare value, that of the file");
  fails({"label", labels, "--values", "--stats", "-", "--keep", "label == 1"}, 64, "compare value");
  fails({"measure", labels}, 64, "nothing to write");
  fails({"measure", labels, "--stats", "-", "--threshold", "3"}, 64, "--threshold");
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
