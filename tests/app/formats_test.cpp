#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/nifti_file.hpp"
#include "support/test.hpp"

// Formats other than PNG and TIFF, in and out.
namespace gpuccl {
namespace {

TEST_CASE("Python objects are refused with a remedy") {
  const ScratchFolder scratch;
  write_file(scratch / "cell_seg.npy", tests::npy("|O", "()", ""));
  fails(
      {"measure", scratch / "cell_seg.npy", "--stats", "-"}, 65,
      "not a usable .npy file (Python objects, such as _seg.npy of Cellpose; save the masks as PNG or TIFF)");
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

}  // namespace
}  // namespace gpuccl
