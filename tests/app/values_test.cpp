#include <algorithm>
#include <bit>
#include <cstring>

#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/nifti_file.hpp"
#include "support/png_file.hpp"
#include "support/scratch_folder.hpp"

// Images of values: `gpuccl label --values`.
namespace gpuccl {
namespace {

/// A .npy file of rows.
template <class T>
std::string save_npy(const std::string& path, const std::string& type, int depth, int height,
                     const std::vector<T>& values) {
  const int width = static_cast<int>(values.size()) / depth / height;
  const std::string shape =
      "(" + std::to_string(depth) + ", " + std::to_string(height) + ", " + std::to_string(width) + ")";
  write_file(path, tests::npy(type, shape, tests::bytes_of(values)));
  return path;
}

/// The elements of a .npy file, whose header has 128 bytes.
template <class T>
std::vector<T> values_in(const std::string& path, const std::string& type) {
  const std::string bytes = read_file(path);
  CHECK(bytes.find("'descr': '" + type + "'") != std::string::npos);
  std::vector<T> values((bytes.size() - 128) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(T));
  return values;
}

const std::vector<std::vector<int>> kClasses = {{1, 1, 2, 2, 0, 1}, {0, 0, 2, 1, 1, 1}, {3, 0, 0, 0, 0, 0}};

TEST_CASE("equal values are components, with their values in report and table") {
  const ScratchFolder scratch;
  const std::string input = save_gray(scratch / "in.tif", kClasses), output = scratch / "out.tif";
  const Json report = report_of({input, "--values", "-o", output, "--stats", scratch / "out.csv"});
  CHECK(labels_in(output) == "1 1 2 2 0 3/0 0 2 3 3 3/4 0 0 0 0 0");
  CHECK(report["input"]["foreground_rule"] == "equal values");
  CHECK(report["labeling"]["algorithm"] == "runs");
  CHECK(report["options"] == "--values");
  CHECK(
      report["components"][2] ==
      Json::parse(R"({"label": 3, "area": 4, "bbox": [3, 0, 5, 1], "centroid": [4.25, 0.75], "value": 1})"));
  CHECK(report["values"] == Json::parse(R"([{"value": 1, "components": 2, "elements": 6, "largest": 4},
    {"value": 2, "components": 1, "elements": 3, "largest": 3},
    {"value": 3, "components": 1, "elements": 1, "largest": 1}])"));
  const std::string table = read_file(scratch / "out.csv");
  CHECK(table.starts_with("label,area,x0,y0,x1,y1,cx,cy,value\n1,2,0,0,1,0,0.5,0,1\n"));
  CHECK(report_of({input, "--values", "-c", "4"})["labeling"]["components"] == 4);
}

TEST_CASE("the largest component of each value is left, as its value") {
  const ScratchFolder scratch;
  const std::string input = save_gray(scratch / "in.tif", kClasses), output = scratch / "out.tif";
  const Json report =
      report_of({input, "--values", "--per-value", "--largest", "1", "--keep-values", "-o", output});
  CHECK(labels_in(output) == "0 0 2 2 0 1/0 0 2 1 1 1/3 0 0 0 0 0");
  CHECK(report["labeling"]["label_type"] == "u8");
  CHECK(report["labeling"]["dropped"] == 1);
  CHECK(report["components"][1]["value"] == 1);
  CHECK(report_of({input, "--values", "--largest", "1"})["components"].size() == 1);
  CHECK(report_of({input, "--values", "--min-size", "3"})["values"].size() == 2);
  const Json large = report_of({input, "--values", "--per-value", "--largest", "1", "--spacing", "2,3,mm",
                                "--keep", "area_physical >= 18"});
  REQUIRE(large["components"].size() == 2);
  CHECK((large["components"][0]["area_physical"] == 18 && large["components"][1]["area_physical"] == 24));
}

TEST_CASE("groups of measures are those of components that others touch") {
  const ScratchFolder scratch;
  const std::string input = save_gray(scratch / "in.tif", kClasses);
  const Json of_all = report_of({input, "--values", "--measure", "all"})["components"];
  for (const char* name : {"extent", "axis_major_length", "feret_diameter_max", "border_sides", "perimeter",
                           "perimeter_crofton", "roundness", "euler_number", "holes"})
    CHECK(of_all.at(0).contains(name));
  // By itself each is measured the same.
  for (const Json& component : of_all) {
    const std::string value = std::to_string(component["value"].get<int>());
    const Json alone = report_of({input, "--value", value, "--measure", "all"})["components"];
    const auto same = std::find_if(alone.begin(), alone.end(), [&](const Json& other) {
      return other["bbox"] == component["bbox"] && other["area"] == component["area"];
    });
    REQUIRE(same != alone.end());
    for (const auto& [name, measured] : component.items())
      if (name != "label" && name != "value") CHECK((*same)[name] == measured);
  }
}

TEST_CASE("a condition compares values, exactly those of 64 bits too") {
  const ScratchFolder scratch;
  const std::string input = save_gray(scratch / "in.tif", kClasses), output = scratch / "out.tif";
  const Json report = report_of({input, "--values", "--keep", "value == 1 and area > 2", "-o", output});
  CHECK(labels_in(output) == "0 0 0 0 0 1/0 0 0 1 1 1/0 0 0 0 0 0");
  CHECK(report["options"] == "--values --keep 'value == 1 and area > 2'");
  CHECK(report_of({input, "--values", "--keep", "value != 1"})["values"].size() == 2);
  CHECK(report_of({input, "--values", "--keep", "value < 3", "--per-value", "--largest", "1"})["components"]
            .size() == 2);
  CHECK(report_of({input, "--values", "--periodic", "x", "--keep", "value == 3"})["labeling"]["components"] ==
        1);
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::string wide =
      save_npy<std::int64_t>(scratch / "in.npy", "<i8", 1, 1, {-kMost - 1, -1, kMost - 1, kMost, kMost + 1});
  const auto kept = [&](const std::string& condition) {
    std::vector<std::int64_t> values;
    const Json report_of_wide = report_of({wide, "--values", "--keep", condition});
    for (const Json& component : report_of_wide["components"])
      values.push_back(component["value"].get<std::int64_t>());
    return values;
  };
  CHECK(kept("value == 9007199254740991") == std::vector{kMost - 1});
  CHECK(kept("value > 9007199254740991") == std::vector{kMost, kMost + 1});
  CHECK(kept("value < -1") == std::vector{-kMost - 1});
  const auto refused = [&](const Words& more, const std::string& reason) {
    fails(joined({"label", input, "--json", "-"}, more), 64, reason);
  };
  refused({"--values", "--keep", "value == 9007199254740992"},
          "'9007199254740992' at character 10 is out of range; values are compared with numbers between "
          "-2^53 and 2^53");
  refused({"--keep", "value == 1"}, "--keep of a value needs --values");
  refused({"--keep", "label == 1"}, "components get their labels after filtering; compare other measures");
  refused({"--values", "--delta", "1", "--keep", "value == 1"}, "use --delta 0");
  refused({"--values", "--keep", "vaule == 1"}, "did you mean value?");
}

TEST_CASE("values keep their type, sign and bits") {
  const ScratchFolder scratch;
  const std::string in = scratch / "in.npy", out = scratch / "out.npy";
  const std::vector<std::int16_t> shorts = {-3, -3, 0, 7, -32768, 32767};
  save_npy(in, "<i2", 1, 2, shorts);
  const Json report = report_of({in, "--values", "--keep-values", "-o", out});
  CHECK(values_in<std::int16_t>(out, "<i2") == shorts);
  CHECK(report["components"][0]["value"] == -3);
  CHECK(report["values"][0]["value"] == -32768);
  for (const char* const name : {"out.tif", "out.nii", "out.nii.gz", "out.nrrd", "out.mha", "out.zarr"}) {
    CAPTURE(name);
    succeeds({"label", in, "--values", "--keep-values", "-o", scratch / name, "--quiet"});
    succeeds({"label", scratch / name, "--values", "--keep-values", "-o", scratch / "again.npy", "--quiet"});
    CHECK(values_in<std::int16_t>(scratch / "again.npy", "<i2") == shorts);
  }
  fails({"label", in, "--values", "--keep-values", "-o", scratch / "out.png"}, 65, "PNG cannot hold int16");

  const std::vector<std::uint64_t> longs = {5, 0xffffffff, 0xffffffff, 0};
  save_npy(in, "<u8", 1, 1, longs);
  succeeds({"label", in, "--values", "--keep-values", "-o", out, "--quiet"});
  CHECK(values_in<std::uint32_t>(out, "<u4") == std::vector<std::uint32_t>(longs.begin(), longs.end()));
  save_npy(in, "<u8", 1, 1, std::vector<std::uint64_t>{~0ull, ~0ull, 1ull << 63});
  CHECK(report_of({in, "--values"})["components"][0]["value"] == ~0ull);
  const std::vector<std::uint64_t> wide = {~0ull, ~0ull, 1ull << 63, 0, 7};
  save_npy(in, "<u8", 1, 1, wide);
  succeeds({"label", in, "--values", "--keep-values", "-o", out, "--quiet"});
  CHECK(values_in<std::uint64_t>(out, "<u8") == wide);
  for (const std::string name :
       {"out64.tif", "out64.nii", "out64.nrrd", "out64.mha", "out64.nii.gz", "out64.zarr"}) {
    CAPTURE(name);
    std::vector<std::string> words = {"label",        in,       "--values", "--keep-values", "-o",
                                      scratch / name, "--quiet"};
    succeeds(words);
    succeeds({"label", scratch / name, "--values", "--keep-values", "-o", scratch / "again.npy", "--quiet"});
    CHECK(values_in<std::uint64_t>(scratch / "again.npy", "<u8") == wide);
  }
  fails({"label", in, "--values", "--keep-values", "-o", scratch / "out64.png"}, 65, "write a .tiff");
  save_npy(in, "<i8", 1, 1, std::vector<std::int64_t>{-3, 1ll << 40, 0});
  succeeds({"label", in, "--values", "--keep-values", "-o", out, "--quiet", "--overwrite"});
  CHECK(values_in<std::int64_t>(out, "<i8") == std::vector<std::int64_t>{-3, 1ll << 40, 0});
}

TEST_CASE("floating-point values need a delta") {
  const ScratchFolder scratch;
  const std::string in = save_npy(scratch / "in.npy", "<f4", 1, 1,
                                  std::vector<float>{1, 1.5F, 4, std::bit_cast<float>(0x7fc00000), 4, 0, -2});
  fails({"label", in, "--values", "--json", "-"}, 65, "add --delta D");
  CHECK(report_of({in, "--values", "--delta", "0", "--quiet"})["labeling"]["components"] == 5);
  const Json report = report_of({in, "--values", "--delta", "0.5", "--quiet"});
  CHECK(report["labeling"]["components"] == 4);
  CHECK(!report.contains("values"));
  CHECK(report["input"]["foreground_rule"] == "values that differ by at most 0.5");
  succeeds({"label", in, "--values", "--delta", "0", "--keep-values", "-o", scratch / "out.npy", "--quiet"});
  CHECK(values_in<float>(scratch / "out.npy", "<f4") == std::vector<float>{1, 1.5F, 4, 0, 4, 0, -2});
  const std::string wide = save_npy(scratch / "wide.npy", "<f8", 1, 1, std::vector<double>{1, 0.1});
  succeeds(
      {"label", wide, "--values", "--delta", "0", "--keep-values", "-o", scratch / "out.npy", "--quiet"});
  CHECK(values_in<double>(scratch / "out.npy", "<f8") == std::vector<double>{1, 0.1});
}

TEST_CASE("a color is one value, that of a palette is its index, and scaled ones are floating-point") {
  const ScratchFolder scratch;
  write_file(scratch / "colors.ppm", "P6\n2 1\n255\n\1\2\3\1\2\3");
  CHECK(Json::parse(gpuccl({"label", scratch / "colors.ppm", "--values", "--json", "-"})
                        .out)["components"][0]["value"] == 66051);
  succeeds({"label", scratch / "colors.ppm", "--values", "--channel", "1", "--json", "-"});

  tests::PngToWrite palette;
  palette.width = 4;
  palette.height = 1;
  palette.bits = 8;
  palette.color_type = PNG_COLOR_TYPE_PALETTE;
  palette.palette.assign(3, {9, 9, 9});
  palette.samples = {1, 2, 2, 0};
  tests::write_png(scratch / "palette.png", palette);
  const Json indices = report_of({scratch / "palette.png", "--values"});
  REQUIRE(indices["components"].size() == 2);
  CHECK((indices["components"][0]["value"] == 1 && indices["components"][1]["value"] == 2));

  tests::NiftiToWrite scaled;
  scaled.dim = {3, 4, 1, 1};
  scaled.slope = 0.5;
  scaled.samples = std::string("\1\1\2\0", 4);
  write_file(scratch / "scaled.nii", scaled.bytes());
  fails({"label", scratch / "scaled.nii", "--values", "--json", "-"}, 65, "has floating-point values");
  const Json values = report_of({scratch / "scaled.nii", "--values", "--delta", "0"});
  REQUIRE(values["components"].size() == 2);
  CHECK((values["components"][0]["value"] == 0.5 && values["components"][1]["value"] == 1));
}

TEST_CASE("options that contradict --values, or need it, are one line of error") {
  const ScratchFolder scratch;
  const std::string input = save_gray(scratch / "in.tif", kClasses);
  const auto refused = [&](Words words, const std::string& part) {
    words.insert(words.begin(), {"label", input, "--json", "-"});
    fails(words, 64, part);
  };
  refused({"--per-value"}, "--per-value needs --values");
  refused({"--values", "--keep-values"}, "--keep-values need a label image; give -o");
  refused({"--values", "--delta", "-1"}, "not a number of at least 0");
  refused({"--values", "--delta", "nan"}, "not a number of at least 0");
  refused({"--values", "--delta", "1e17"},
          "in.tif: --delta above 9007199254740992 needs floating-point values");
  refused({"--values", "--value", "1"}, "--values and --value cannot be combined");
  refused({"--values", "--invert"}, "--values and --invert cannot be combined");
  refused({"--values", "--algo", "sauf"}, "sauf labels only binary images; with --values use auto or runs");
  refused({"--values", "--measure", "cavities"}, "cavities and --values cannot be combined; use --value V");
  refused({"--values", "--measure", "shape", "--keep", "tunnels > 1"},
          "tunnels and --values cannot be combined");
  refused({"--values", "--delta", "1", "--keep-values", "-o", scratch / "out.tif"}, "use --delta 0");
  fails({"label", source_file("tests/data/none.png"), "--values", "--json", "-"}, 66, "none.png");
  fails({"label", input, "--values", "--device", "cuda", "--json", "-"}, 69, "; use --device auto or cpu");
}

}  // namespace
}  // namespace gpuccl
