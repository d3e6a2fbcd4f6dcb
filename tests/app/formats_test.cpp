#include <filesystem>
#include <utility>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/nifti_file.hpp"
#include "support/scratch_folder.hpp"

// Formats other than PNG and TIFF, in and out.
namespace gpuccl {
namespace {

const std::vector<std::vector<std::string>> kSlices = {{"#..#", "#...", "..##"}, {"....", ".#..", "...#"}};
constexpr const char* kLabels26 = "1 0 0 2/1 0 0 0/0 0 1 1|0 0 0 0/0 1 0 0/0 0 0 1";

TEST_CASE("Python objects are refused with a remedy") {
  const ScratchFolder scratch;
  write_file(scratch / "cell_seg.npy", tests::npy("|O", "()", ""));
  fails(
      {"measure", scratch / "cell_seg.npy", "--stats", "-"}, 65,
      "not a usable .npy file (Python objects, such as _seg.npy of Cellpose; save the masks as PNG or TIFF)");
}

TEST_CASE("an array of numpy is labeled as the same TIFF is, alone, in a folder and as a slice") {
  const ScratchFolder scratch;
  for (const char* folder : {"in", "stack"}) std::filesystem::create_directory(scratch / folder);
  const std::string tiff = save(scratch / "in/a.tif", tests::drawn(kSlices).view());
  succeeds({"label", tiff, "-o", scratch / "a.npy"});
  CHECK(labels_in(scratch / "a.npy") == kLabels26);

  // Labels are integers; all but 0 are foreground.
  std::filesystem::copy_file(scratch / "a.npy", scratch / "in/b.npy");
  succeeds({"label", scratch / "in/b.npy", "-o", scratch / "b.tiff", "--stats", scratch / "b.csv"});
  CHECK(labels_in(scratch / "b.tiff") == kLabels26);
  CHECK(Json::parse(read_file(scratch / "b.json"))["input"]["format"] == "npy");
  succeeds({"compare", scratch / "a.npy", scratch / "b.tiff"});
  succeeds({"label", scratch / "in", "-o", scratch / "out/", "--quiet"});
  CHECK(labels_in(scratch / "out/a.tiff") == kLabels26);
  CHECK(labels_in(scratch / "out/b.npy") == kLabels26);  // in the format of the input
  succeeds({"label", scratch / "in", "-o", scratch / "lzw/", "--compress", "lzw", "--quiet"});
  CHECK(labels_in(scratch / "lzw/b.tiff") == kLabels26);

  const std::string slice = save(scratch / "stack/1.png", tests::drawn(kSlices[0]).view());
  succeeds({"label", save(scratch / "2.png", tests::drawn(kSlices[1]).view()), "-o", scratch / "stack/2.npy",
            "--json", "/dev/null", "--label-type", "u8"});
  write_file(scratch / "stack/files.txt", "1.png\n2.npy\n");  // so that two formats are no surprise
  fails({"label", scratch / "stack", "--stack", "-o", scratch / "c.tiff"}, 65,
        "2.npy is min-is-black with 1 samples of 8");
  std::filesystem::remove(slice);
  std::filesystem::remove(scratch / "stack/files.txt");
  succeeds({"label", scratch / "stack", "--stack", "-c", "26", "-o", scratch / "c.npy"});
  CHECK(labels_in(scratch / "c.npy") == "0 0 0 0/0 1 0 0/0 0 0 2");
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

TEST_CASE("a NIfTI is labeled with its frame, compressed or not, alone and in a folder") {
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
  succeeds({"label", scratch / "in", "-o", scratch / "as/", "--quiet"});
  CHECK(read_file(scratch / "as/a.nii.gz") == input);
  CHECK(read_file(scratch / "as/b.nii") == framed);
  fails({"label", tiff, "-o", scratch / "x.nii", "--compress", "none"}, 64, "--compress is for TIFF");
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

TEST_CASE("a PNM is labeled as the same PNG, and the program names its format") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "in");
  write_file(scratch / "in/a.pgm", "P2 4 3 255  9 0 0 200  200 0 0 0  0 0 200 200");
  succeeds({"label", scratch / "in", "-o", scratch / "out/", "--threshold", "100", "--quiet"});
  CHECK(labels_in(scratch / "out/a.tiff") == "0 0 0 1/2 0 0 0/0 0 3 3");
  CHECK(Json::parse(read_file(scratch / "out/a.json"))["input"]["format"] == "pnm");
  CHECK(succeeds({"info"}).find("NRRD, MetaImage, MGH, OME-Zarr, PNM") != std::string::npos);
}

TEST_CASE("one channel of several is chosen, alone and in a batch, and the report says so") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "in");
  const std::string image = scratch / "in/a.ppm";
  write_file(image, "P3 3 1 255  9 0 0  0 9 0  9 0 9");
  const Json report = report_of({image, "--channel", "2"});
  CHECK(report["labeling"]["components"] == 1);
  CHECK(report["options"] == "--channel 2");
  CHECK(report["input"]["photometric"] == "min-is-black");
  succeeds({"label", scratch / "in", "-o", scratch / "out/", "--channel", "0", "--quiet"});
  CHECK(labels_in(scratch / "out/a.tiff") == "1 0 2");
  fails({"label", image, "--json", "-", "--channel", "3"}, 65,
        "has no channel 3: there are 3 channels, numbered from 0");
  fails({"label", image, "--json", "-", "--frame", "1"}, 65, "contains one image");
  fails({"label", image, "--json", "-", "--series", "1"}, 65, "contains one image");
  fails({"label", image, "--json", "-", "--frame", "-1"}, 64, "is not an integer");
  fails({"label", image, "--json", "-", "--channel", "-1"}, 64, "is neither an integer of at least 0 nor");
  fails({"label", image, "--json", "-", "--channel", "DAPI"}, 65, "does not name its channels");
}

}  // namespace
}  // namespace gpuccl
