#include "binary.hpp"
#include "support/catch.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

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
  std::string output = scratch / "out.png";

  /// What `options` leave: the labels along row 1 and row 3, and how many were dropped.
  std::string label(const Words& options) {
    Words words = {input, "-o", output};
    words.insert(words.end(), options.begin(), options.end());
    const Json report = report_of(words);
    const std::string text = labels_in(output);
    std::string rows = text.substr(18, 17) + "/" + text.substr(54, 17);
    std::erase(rows, ' ');
    CHECK(report["components"].size() == report["labeling"]["components"]);
    return rows + " dropped " + report["labeling"]["dropped"].dump();
  }
};

TEST_CASE_METHOD(FourComponents, "filters drop components, and what stays is numbered again") {
  CHECK(label({}) == "002220330/044400000 dropped 0");
  CHECK(label({"--min-size", "3"}) == "001110000/022200000 dropped 2");
  CHECK(label({"--max-size", "2"}) == "000000220/000000000 dropped 2");
  CHECK(label({"--min-size", "003"}) == "001110000/022200000 dropped 2");
  CHECK(label({"--largest", "0"}) == "002220330/044400000 dropped 0");
  CHECK(label({"--largest", "1"}) == "001110000/000000000 dropped 3");
  CHECK(label({"--clear-border"}) == "001110220/033300000 dropped 1");
  CHECK(label({"--clear-border", "--max-size", "2"}) == "000000110/000000000 dropped 3");
}

TEST_CASE_METHOD(FourComponents, "option --order size numbers the largest first") {
  CHECK(label({"--order", "size"}) == "001110330/022200000 dropped 0");
  CHECK(label({"--order", "raster"}) == "002220330/044400000 dropped 0");
  CHECK(report_of({input, "--order", "size"})["labeling"]["order"] == "size");
  CHECK(report_of({input, "--order", "size"})["components"][3]["area"] == 1);
}

}  // namespace
}  // namespace gpuccl
