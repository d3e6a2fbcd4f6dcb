#include "binary.hpp"
#include "support/test.hpp"

// --periodic as users type it. That components are the right ones is proven by tests/lib/periodic_test.cpp.
namespace gpuccl {
namespace {

/// A component in all four corners, a bar from side to side and one on its own.
struct Corners {
  ScratchFolder scratch;
  std::string input = save(scratch / "in.tif", tests::drawn(Words{
                                                                "##...#",
                                                                "......",
                                                                "######",
                                                                "......",
                                                                "..##..",
                                                                "......",
                                                                "#.....",
                                                            })
                                                   .view());
};

}  // namespace

TEST_CASE_METHOD(Corners, "options that exclude periodic borders are refused") {
  const auto refused = [&](const Words& words, const std::string& reason) {
    fails(joined({"label", input, "--json", "-"}, words), 64, reason);
  };
  for (const char* const axes : {"", "w", "x,,y", "xy", "x y"})
    refused({"--periodic", axes}, "is not a comma-separated list of x, y and z");
  refused({"--periodic", "x,x"}, "names x twice");
  refused({"--periodic", "x", "--seeds", input}, "--seeds and --periodic cannot be combined");
  refused({"--periodic", "x", "--threshold", "0:1"},
          "--threshold LOW:HIGH and --periodic cannot be combined");
  refused(
      {"--periodic", "x", "--intensity", input},
      "intensity_min is not measured across borders; write labels with -o, and measure these with 'gpuccl "
      "measure LABELS --intensity'");
  refused({"--periodic", "x", "--measure", "shape"},
          "--periodic: moments_central-2-0 is not measured across");
  refused({"--periodic", "x", "--measure", "all,shape"}, "--periodic: moments_central-2-0 is not measured");
  refused({"--periodic", "x", "--measure", "all", "--intensity", input}, "intensity_");
  const auto measured = [&](const char* words) {
    return report_of({input, "--periodic", "x", "--spacing", "2,2,um", "--measure", words})["components"];
  };
  CHECK(
      measured("all") ==
      measured(
          "width,height,extent,equivalent_diameter_area,equivalent_diameter_area_physical,border,periodic"));
  refused({"--periodic", "x", "--measure", "perimeter"},
          "--periodic: perimeter is not measured across borders");
  refused({"--periodic", "x", "--keep", "border_x1 == 0"}, "border_x1 needs an axis without --periodic");
  refused({"--periodic", "y", "--measure", "border_y0"}, "border_y0 needs an axis without --periodic");
  refused({"--periodic", "x", "--measure", "wraps_y"}, "wraps_y needs --periodic along that axis");
  refused({"--periodic", "x", "--keep", "wraps_y == 0"}, "wraps_y needs --periodic along that axis");
  CHECK(report_of({input, "--periodic", "x", "--measure", "periodic"})["components"][0].contains("wraps_x"));
  refused({"--measure", "wraps_x"}, "wraps_x, wraps_y and wraps_z need --periodic");
  refused({"--keep", "wraps_x > 0"}, "wraps_x, wraps_y and wraps_z need --periodic");
  const std::string line = save(scratch / "line.tif", tests::drawn(Words{"#.#"}).view());
  fails({"label", line, "--periodic", "y", "--json", "-"}, 64,
        "line.tif: y cannot be periodic: it is one pixel long");
}

TEST_CASE_METHOD(Corners,
                 "components that percolate are kept by one command, also across a periodic border") {
  const auto table = [&](const Words& words) {
    return succeeds(joined({"label", input, "-c", "4", "--stats", "-", "--quiet"}, words));
  };
  CHECK(table({"--keep", "percolates_x == 1 and border_sides == 2"}) == table({"--keep", "y0 == 2"}));
  CHECK(table({"--keep", "percolates_y == 1"}) == "label,area,x0,y0,x1,y1,cx,cy\n");
  const Words around_y = {"--periodic", "y", "--measure", "border"};
  CHECK(table(around_y) ==
        "label,area,x0,y0,x1,y1,cx,cy,border_sides,border_x0,border_x1,percolates_x,percolates_y,wraps_y\n"
        "1,3,0,6,1,7,0.3333333333333333,6.666666666666667,1,1,0,0,0,1\n"
        "2,1,5,0,5,0,5,0,1,0,1,0,0,0\n3,6,0,2,5,2,2.5,2,2,1,1,1,0,0\n4,2,2,4,3,4,2.5,4,0,0,0,0,0,0\n");
  CHECK(
      report_of({input, "-c", "4", "--periodic", "x", "--keep", "percolates_x == 1"})["components"].size() ==
      1);
}

}  // namespace gpuccl
