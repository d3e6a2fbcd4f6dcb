#include "binary.hpp"
#include "io/npy_bytes.hpp"
#include "support/nifti_file.hpp"
#include "support/png_file.hpp"
#include "support/test.hpp"

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

const std::vector<std::vector<int>> kClasses = {{1, 1, 2, 2, 0, 1}, {0, 0, 2, 1, 1, 1}, {3, 0, 0, 0, 0, 0}};

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
  CHECK(kept("value == 9007199254740993") == std::vector{kMost + 1});
  CHECK(kept("value < -9007199254740992") == std::vector{-kMost - 1});
  CHECK(kept("value <= 18446744073709551615").size() == 5);
  refused({"--values", "--keep", "value == 9007199254740993.0"},
          "'9007199254740993.0' at character 10 is not an integer of 64 bits; write values beyond 2^53 with "
          "all digits");
  refused({"--keep", "value == 1"}, "--keep of a value needs --values");
  refused({"--keep", "label == 1"}, "components get their labels after filtering; compare other measures");
  refused({"--values", "--delta", "1", "--keep", "value == 1"}, "use --delta 0");
  refused({"--values", "--keep", "vaule == 1"}, "did you mean value?");
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
  refused({"--values", "--keep-values"}, "--keep-values needs --output FILE");
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
