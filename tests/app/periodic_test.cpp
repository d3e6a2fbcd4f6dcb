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
  refused({"--periodic", "x", "--measure", "shape"}, "--periodic: width is not measured across borders");
  refused({"--periodic", "x", "--measure", "extent"}, "--periodic: extent is not measured across borders");
  refused({"--periodic", "x", "--keep", "border_sides == 0"}, "--periodic: border_sides is not measured");
  refused({"--periodic", "x", "--measure", "wraps_y"}, "wraps_y needs --periodic along that axis");
  refused({"--periodic", "x", "--keep", "wraps_y == 0"}, "wraps_y needs --periodic along that axis");
  CHECK(report_of({input, "--periodic", "x", "--measure", "periodic"})["components"][0].contains("wraps_x"));
  refused({"--measure", "wraps_x"}, "wraps_x, wraps_y and wraps_z need --periodic");
  refused({"--keep", "wraps_x > 0"}, "wraps_x, wraps_y and wraps_z need --periodic");
  const std::string line = save(scratch / "line.tif", tests::drawn(Words{"#.#"}).view());
  fails({"label", line, "--periodic", "y", "--json", "-"}, 64,
        "line.tif: y cannot be periodic: it is one pixel long");
}

}  // namespace gpuccl
