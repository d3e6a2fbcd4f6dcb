// --seeds and --threshold LOW:HIGH: components that contain a marker. tests/python/test_label.py compares
// with scikit-image.

#include "binary.hpp"
#include "support/test.hpp"

namespace gpuccl {
namespace {

std::string table_of(const Words& words) { return succeeds(joined(words, {"--stats", "-", "--quiet"})); }

constexpr const char* kHeader = "label,area,x0,y0,x1,y1,cx,cy\n";

}  // namespace

TEST_CASE("option --seeds keeps the components that contain a nonzero pixel of a mask") {
  const ScratchFolder scratch;
  const std::string input = save(scratch / "in.png", tests::drawn(Words{"##..#", "....#"}).view());
  const std::string seeds = save(scratch / "seeds.png", tests::drawn(Words{".....", ".#..#"}).view());
  const std::string second = "1,2,4,0,4,1,4,0.5\n";
  CHECK(table_of({"label", input, "--seeds", seeds}) == kHeader + second);
  CHECK(table_of({"label", input, "--seeds", seeds, "--keep", "area > 2"}) == kHeader);
  const std::string none = save(scratch / "none.png", tests::drawn(Words{".....", "....."}).view());
  CHECK(table_of({"label", input, "--seeds", none}) == kHeader);
  // Samples of an image are measured next to it.
  const std::string both =
      table_of({"label", input, "--seeds", seeds, "--intensity", seeds, "--measure", "intensity_sum,extent"});
  CHECK(both == "label,area,x0,y0,x1,y1,cx,cy,extent,intensity_sum\n1,2,4,0,4,1,4,0.5,1,1\n");
  const Json report = Json::parse(succeeds({"label", input, "--seeds", seeds, "--json", "-", "--quiet"}));
  CHECK(report["labeling"]["dropped"] == 1);
  CHECK(report["options"] == "--seeds " + seeds);
  CHECK(report["seeds"]["path"] == seeds);
  CHECK(report["intensity"].is_null());

  const std::string other = save(scratch / "other.png", tests::drawn(Words{"..", ".."}).view());
  fails({"label", input, "--seeds", other, "--stats", "-"}, 65, "has 2x2 pixels, but");
  fails({"label", input, "--seeds", scratch / "gone.png", "--stats", "-"}, 66, "gone.png");
  fails({"label", input, "--seeds", seeds, "--periodic", "x", "--stats", "-"}, 64, "--periodic");
}

TEST_CASE("a threshold LOW:HIGH keeps components above LOW with an element above HIGH") {
  const ScratchFolder scratch;
  const std::string gray = save_gray(scratch / "gray.tif", {{11, 12, 0, 11, 30}, {0, 0, 0, 0, 12}});
  CHECK(table_of({"label", gray, "--threshold", "10:20"}) ==
        kHeader + std::string("1,3,3,0,4,1,3.6666666666666665,0.3333333333333333\n"));
  CHECK(table_of({"label", gray, "--threshold", "10:30"}) == kHeader);
  CHECK(table_of({"label", gray, "--threshold", "10:10"}) == table_of({"label", gray, "--threshold", "10"}));
  // Dark objects: at most 11, with a pixel of 0.
  CHECK(table_of({"label", gray, "--threshold", "0:11", "--invert", "-c", "4"}) ==
        kHeader + std::string("1,7,0,0,3,1,1.5714285714285714,0.5714285714285714\n"));
  const Json report =
      Json::parse(succeeds({"label", gray, "--threshold", "10:20", "--json", "-", "--quiet"}));
  CHECK(report["input"]["foreground_rule"] == "value > 10; components with a value > 20");
  CHECK(report["options"] == "--threshold 10:20");
  fails({"label", gray, "--threshold", "20:10", "--stats", "-"}, 64, "has LOW above HIGH");
  fails({"label", gray, "--threshold", "20:otsu", "--stats", "-"}, 64,
        "is not a range LOW:HIGH of two numbers");
  fails({"label", "-", "--threshold", "1:2", "--stats", "-"}, 64, "is read twice");
}

}  // namespace gpuccl
