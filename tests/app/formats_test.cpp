#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/nifti_file.hpp"
#include "support/test.hpp"

// Formats other than PNG and TIFF, in and out.
namespace gpuccl {
namespace {

const std::vector<std::vector<std::string>> kSlices = {{"#..#", "#...", "..##"}, {"....", ".#..", "...#"}};

TEST_CASE("Python objects are refused with a remedy") {
  const ScratchFolder scratch;
  write_file(scratch / "cell_seg.npy", tests::npy("|O", "()", ""));
  fails(
      {"measure", scratch / "cell_seg.npy", "--stats", "-"}, 65,
      "not a usable .npy file (Python objects, such as _seg.npy of Cellpose; save the masks as PNG or TIFF)");
}

TEST_CASE(
    "the axes of an array are those of its label image, and the connectivity makes one slice a volume") {
  const ScratchFolder scratch;
  const std::string samples("\1\1\1\1\0\1\1\1\1", 9), one = scratch / "one.npy", flat = scratch / "flat.npy";
  write_file(one, tests::npy("|u1", "(1, 3, 3)", samples));
  write_file(flat, tests::npy("|u1", "(3, 3)", samples));
  for (const auto& [input, shape] : {std::pair{one, "(1, 3, 3)"}, {flat, "(3, 3)"}}) {
    succeeds({"label", input, "-o", scratch / "out.npy", "--quiet"});
    CHECK(read_file(scratch / "out.npy").find("'shape': " + std::string(shape)) != std::string::npos);
    const auto components = [&](const Words& more) {
      return Json::parse(succeeds(joined({"label", input, "--json", "-", "--quiet"}, more)))["components"];
    };
    CHECK(components({"--fill-holes"})[0]["area"] == 9);
    CHECK(components({"-c", "26", "--fill-holes"})[0]["area"] == 8);  // open along z
    CHECK(components({"-c", "26"})[0]["bbox"].size() == 6);
    CHECK(components({"-c", "26", "--clear-border"}).empty());
    CHECK(components({"-c", "26", "--measure", "border_sides"})[0]["border_sides"] == 6);
    CHECK(components({"--measure", "border_sides"})[0]["border_sides"] == 4);
  }
}

TEST_CASE("a spacing of the input or of --spacing reaches label image and measures") {
  const ScratchFolder scratch;
  const std::string tiff = save(scratch / "a.tif", tests::drawn(kSlices).view());
  succeeds({"label", tiff, "-o", scratch / "b.tiff", "--spacing", "500,250,2000,nm", "--stats",
            scratch / "b.csv"});
  const Json report = Json::parse(read_file(scratch / "b.json"));
  CHECK(report["options"] == "--spacing 500,250,2000,nm");
  CHECK(report["input"]["geometry"]["spacing"] == Json::parse("[500, 250, 2000]"));
  CHECK(report["input"]["geometry"]["unit"] == "nm");
  CHECK(report["components"][0]["area"] == 6);
  CHECK(report["components"][0]["area_physical"] == 1.5e9);
  CHECK(read_file(scratch / "b.csv").find("area_physical,cx_physical,cy_physical,cz_physical,unit\n") !=
        std::string::npos);
  // The unit next to an area is that of the area, next to a length that of the length, in every table.
  const auto has = [&](const std::string& output, const Words& words, const std::string& text) {
    const std::string table =
        succeeds(joined({"label", tiff, "--spacing", "500,250,2000,nm", output, "-", "--quiet"}, words));
    INFO(table);
    CHECK(table.find(text) != std::string::npos);
  };
  has("--stats", {}, ",nm3\n");
  has("--stats", {"--per-slice"}, ",250000,0,125,0,nm2\n");  // as the page alone
  has("--summary", {"--per-slice"}, ",nm2,");
  has("--stats", {"--page", "0"}, ",250000,0,125,nm2\n");
  has("--summary", {}, ",2,7,0.2916666666666667,1,3.5,6,1.75e+09,nm3,");  // 7 of 24 voxels
  has("--summary", {"--page", "0"}, ",nm2,");

  // From TIFF to NIfTI and back; NIfTI has no nanometers.
  succeeds({"label", scratch / "b.tiff", "-o", scratch / "c.nii"});
  succeeds({"label", scratch / "c.nii", "-o", scratch / "d.tiff", "--quiet"});
  const Json geometry = Json::parse(read_file(scratch / "d.json"))["input"]["geometry"];
  CHECK(geometry["spacing"] == Json::parse("[0.5, 0.25, 2]"));
  CHECK(geometry["unit"] == "um");
  CHECK(geometry["space"] == "RAS");
  CHECK(report_of({scratch / "d.tiff"})["input"]["geometry"]["spacing"] == geometry["spacing"]);
  CHECK(report_of({scratch / "c.nii", "--spacing", "1,1,1,mm"})["input"]["geometry"]["directions"] ==
        Json::parse("[[-1, 0, 0], [0, -1, 0], [0, 0, 1]]"));

  // Formats without a place for it are named, once in a batch.
  std::filesystem::create_directory(scratch / "in");
  const std::string page = save(scratch / "in/1.png", tests::drawn(kSlices[0]).view());
  save(scratch / "in/2.png", tests::drawn(kSlices[1]).view());
  const std::string lost = "PNG cannot hold the pixel size";
  CHECK(gpuccl({"label", page, "-o", scratch / "e.png", "--spacing", "2,2"}).err.find(lost) !=
        std::string::npos);
  const std::string said =
      gpuccl({"label", scratch / "in", "-o", scratch / "out/", "--format", "png", "--spacing", "2,2"}).err;
  CHECK(said.find(lost) != std::string::npos);
  CHECK(said.find("the same for 1 more input: " + lost) != std::string::npos);
  CHECK(report_of({page, "--spacing", "2,3,um"})["components"][0]["area_physical"] == 12);

  for (const char* wrong :
       {"1", "1,2,3,4", "0,1,1", "-1,1,1", "1,1,nan", "1,1,1,px", "1e300,1,1", "", "1,,1"})
    fails({"label", tiff, "-o", scratch / "x.tiff", "--spacing", wrong}, 64, "is not X,Y or X,Y,Z");
}

TEST_CASE("a NIfTI without a unit needs only lengths, which are mm") {
  const ScratchFolder scratch;
  tests::NiftiToWrite header;
  header.samples = std::string(24, '\1');
  const std::string volume = scratch / "v.nii";
  write_file(volume, header.bytes());
  const std::string warning =
      ": has no unit of length; mm is assumed, set another with --spacing X,Y,Z,UNIT\n";
  const Words words = {"label", volume, "--min-size", "40mm3", "--json", "-"};
  // The size and the columns have the same unit, of which one line warns. So have other formats of ITK.
  for (const std::string& input : {volume, scratch / "v.nrrd", scratch / "v.mha"}) {
    if (input != volume) succeeds({"label", volume, "-o", input, "--quiet"});
    CAPTURE(input);
    const Ended ended =
        gpuccl({"label", input, "--min-size", "20mm3", "--measure", "physical", "--stats", "-"});
    CHECK(ended.err == "gpuccl: warning: " + input + warning);
    CHECK(ended.out.find(",mm3,") != std::string::npos);
    CHECK(gpuccl({"match", input, input, "--min-size", "20mm3"}).code == 0);
  }
  const std::string array = scratch / "v.npy";
  succeeds({"label", volume, "-o", array, "--quiet"});
  fails({"label", array, "--min-size", "20mm3", "--spacing", "1,1,1", "--stats", "-"}, 65,
        "has no spacing in a unit of length");
  CHECK(gpuccl(words).err.find(volume + warning) != std::string::npos);
  const auto with_spacing = [&](const std::string& spacing) {
    return gpuccl(joined(words, {"--spacing", spacing}));
  };
  Ended ended = with_spacing("1,1,2");
  CHECK(ended.err.find(volume + warning) != std::string::npos);
  const Json report = Json::parse(ended.out);
  CHECK(report["input"]["geometry"]["unit"] == "mm");
  CHECK(report["components"][0]["area_physical"] == 48);
  CHECK(with_spacing("1,1,2,um").err.find(warning) == std::string::npos);
  header.units = 3;  // um
  write_file(volume, header.bytes());
  ended = with_spacing("1,1,2");
  CHECK(ended.err.find(warning) == std::string::npos);
  CHECK(Json::parse(ended.out)["input"]["geometry"]["unit"] == "um");
}

TEST_CASE("two lengths are no spacing of a volume") {
  const ScratchFolder scratch;
  const std::string volume = save(scratch / "in.tif", tests::drawn(Slices{{"##"}, {"#."}}).view());
  fails({"label", volume, "--json", "-", "--spacing", "2,3,um"}, 64, "use --spacing X,Y,Z");
  fails({"contacts", volume, "--spacing", "2,3"}, 64, "use --spacing X,Y,Z");

  const auto said = [&](const char* name) {
    return gpuccl({"label", volume, "-o", scratch / name, "--spacing", "2,3,um", "--per-slice"}).err;
  };
  for (const char* name : {"a.nii", "a.nii.gz", "a.mha", "a.zarr"}) {
    CAPTURE(name);
    CHECK(said(name).find("its z spacing is unknown and is written as 1") != std::string::npos);
  }
  const std::string slices = scratch / "a.nrrd";
  CHECK(said("a.nrrd").empty());
  const Ended ended = gpuccl({"label", slices, "--json", "-"});
  const std::string hint =
      "the z spacing is unknown, so nothing is measured in um; set it with --spacing X,Y,Z";
  CHECK(ended.err == "gpuccl: warning: " + slices + ": " + hint + "\n");
  const Json report = Json::parse(ended.out);
  CHECK(report["hints"] == Json{hint});
  CHECK(report["input"]["geometry"]["spacing"] == Json::parse("[2, 3, null]"));
  CHECK(!report["components"][0].contains("area_physical"));
  CHECK(gpuccl({"contacts", slices}).err.find(slices + ": " + hint) != std::string::npos);
  fails({"label", slices, "--json", "-", "--measure", "physical"}, 65, "has no z spacing");
  CHECK(gpuccl({"label", slices, "--json", "-", "--per-slice"}).err.empty());
  CHECK(report_of({slices, "--spacing", "2,3,4"})["components"][0]["area_physical"] == 72);
}

}  // namespace
}  // namespace gpuccl
