#include "binary.hpp"
#include "support/test.hpp"

// Which components stay and how they are numbered.
namespace gpuccl {
namespace {

/// Sizes 1, 3, 2, 3 in raster order; the first touches the border.
struct FourComponents {
  ScratchFolder scratch;
  std::string input = save(scratch / "in.png", tests::drawn(Words{
                                                                "#........",
                                                                "..###.##.",
                                                                ".........",
                                                                ".###.....",
                                                                ".........",
                                                            })
                                                   .view());
  std::string output = scratch / "out.tif";  // which holds the spacing

  /// Result of `options`: the labels along row 1 and row 3, and how many were dropped.
  std::string label(const Words& options) {
    const Json report = report_of(joined({input, "-o", output}, options));
    const std::string text = labels_in(output);
    std::string rows = text.substr(18, 17) + "/" + text.substr(54, 17);
    std::erase(rows, ' ');
    CHECK(report["components"].size() == report["labeling"]["components"]);
    return rows + " dropped " + report["labeling"]["dropped"].dump();
  }
};

TEST_CASE_METHOD(FourComponents, "filters drop components, and the others are renumbered") {
  CHECK(label({}) == "002220330/044400000 dropped 0");
  CHECK(label({"--min-size", "003"}) == "001110000/022200000 dropped 2");
  // Sizes by the spacing: an element has 0.1 mm2, of which rounding leaves a little less or more.
  for (const char* size : {"0.3mm2", "0.25 mm^2", "300000um2"})
    CHECK(label({"--spacing", "0.2,0.5,mm", "--min-size", size}) == "001110000/022200000 dropped 2");
  CHECK(label({"--spacing", "0.2,0.5,mm", "--max-size", "0.2mm2"}) == "000000220/000000000 dropped 2");
  fails({"label", input, "-o", output, "--min-size", "3mm2"}, 65, "has no spacing in a unit of length");
  fails({"label", input, "-o", output, "--spacing", "1,1,1,mm", "--min-size", "3mm3"}, 64,
        "3mm3 is a volume, but the input is labeled as an image");
  for (const char* size : {"3mm", "1.52", "x3", "mm2", "1mm4", "1 2"})
    fails({"label", input, "-o", output, "--min-size", size}, 64,
          "'" + std::string(size) + "' is neither an integer nor a size");
  CHECK(label({"--keep", "width >= 3"}) == "001110000/022200000 dropped 2");
  CHECK(label({"--keep", "height == 1 and width < 3"}) == "000000220/000000000 dropped 2");
  CHECK(label({"--keep", "elongation != 2"}) == label({"--keep", "area > 0"}));  // lines have none
}

TEST_CASE_METHOD(FourComponents, "a measure that only --keep names is not a column") {
  const Json report = report_of({input, "--keep", "extent>0.9 and  area > 2", "--measure", "border_sides"});
  CHECK(report["options"] == "--keep 'extent > 0.9 and area > 2' --measure border_sides");
  REQUIRE(report["components"].size() == 2);
  CHECK(!report["components"][0].contains("extent"));
  CHECK(report["components"][0]["border_sides"] == 0);
  CHECK(!report_of({input, "--keep", "extent > 0"})["components"][0].contains("border_sides"));
  CHECK(succeeds({"label", input, "--keep", "extent > 0.9", "--stats", "-"})
            .starts_with("label,area,x0,y0,x1,y1,cx,cy\n"));
}

TEST_CASE_METHOD(FourComponents, "an expression that cannot be is refused in one line") {
  const auto refused = [&](const std::string& expression, int code, const std::string& part) {
    fails({"label", input, "--json", "-", "--keep", expression}, code, part);
  };
  refused("aera > 3", 64, "--keep: 'aera' at character 1 is not a measure; did you mean area?");
  refused("area", 64, "--keep: the end at character 5");
  refused("", 64, "--keep");
  refused("z0 > 3", 64, input + ": --keep: z0 is measured in volumes, but this is labeled as an image");
  refused("area_physical > 3", 65, "spacing");
  const std::string volume = source_file("data/cells.tif");
  fails({"label", volume, "--json", "-", "--keep", "moments_central-2-0 > 1"}, 64, "is measured in images");
  CHECK(report_of({volume, "--keep", "z0 > 0"})["labeling"]["dropped"] > 0);
  CHECK(report_of({volume, "--keep", "z0 > 0", "--per-slice"})["labeling"]["dropped"] > 0);
}

}  // namespace
}  // namespace gpuccl
