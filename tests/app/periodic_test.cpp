#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

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

TEST_CASE_METHOD(Corners, "components that go on at the opposite border are one, and unwrapped") {
  const Json report = report_of({input, "-c", "4", "--periodic", "x,y"});
  CHECK(report["labeling"]["periodic"] == Json{"x", "y"});
  CHECK(report["options"] == "-c 4 --periodic x,y");
  REQUIRE(report["labeling"]["components"] == 3);
  const Json& corner = report["components"][0];
  CHECK(corner["area"] == 4);
  CHECK(corner["bbox"] == Json{5, 6, 7, 7});
  CHECK(corner["centroid"] == Json{6, 6.75});
  CHECK((corner["wraps_x"] == 1 && corner["wraps_y"] == 1));
  CHECK((report["components"][1]["wraps_x"] == 2 && report["components"][1]["wraps_y"] == 0));
  CHECK((report["components"][2]["wraps_x"] == 0 && report["components"][2]["wraps_y"] == 0));
  const Json along_x = report_of({input, "-c", "4", "--periodic", "x"});
  CHECK(along_x["labeling"]["components"] == 4);
  CHECK_FALSE(along_x["components"][0].contains("wraps_y"));
  CHECK(report_of({input})["labeling"]["periodic"] == Json::array());
}

TEST_CASE_METHOD(Corners, "labels, table and filters are those of whole components") {
  succeeds({"label", input, "-c", "4", "--periodic", "x,y", "-o", scratch / "out.npy", "--stats",
            scratch / "out.csv", "--label-type", "u8"});
  const std::string labels = read_file(scratch / "out.npy");
  REQUIRE(labels.size() > 42);
  CHECK(labels.substr(labels.size() - 42) == std::string("\1\1\0\0\0\1\0\0\0\0\0\0\2\2\2\2\2\2\0\0\0"
                                                         "\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\1\0\0\0\0\0",
                                                         42));
  CHECK(read_file(scratch / "out.csv")
            .starts_with("label,area,x0,y0,x1,y1,cx,cy,wraps_x,wraps_y\n1,4,5,6,7,7,"));
  const auto kept = [&](const Words& filter) {
    return report_of(joined({input, "-c", "4", "--periodic", "x,y"}, filter))["labeling"]["components"];
  };
  CHECK(kept({"--min-size", "4"}) == 2);
  CHECK(kept({"--keep", "wraps_x == 2"}) == 1);
  CHECK(kept({"--clear-border"}) == 3);
  CHECK(report_of({input, "-c", "4", "--periodic", "x", "--clear-border"})["labeling"]["components"] == 2);
  const Json by_size = report_of({input, "-c", "4", "--periodic", "x,y", "--order", "size"});
  CHECK(by_size["components"][0]["area"] == 6);
}

TEST_CASE("with values, only equal ones go on at the opposite border") {
  const ScratchFolder scratch;
  const std::string input = save_nrrd(scratch / "in.nrrd", "uint8", "4 2", {5, 0, 6, 5, 7, 7, 0, 6});
  const Json report = report_of({input, "--values", "-c", "4", "--periodic", "x"});
  REQUIRE(report["labeling"]["components"] == 4);
  CHECK(report["components"][0]["value"] == 5);
  CHECK(report["components"][0]["bbox"] == Json{3, 0, 4, 0});
  CHECK(report["components"][3]["value"] == 6);
  CHECK(succeeds({"label", input, "--values", "-c", "4", "--contacts", "-", "--periodic", "x"}) ==
        "label_a,label_b,faces_x,faces_y,edges,value_a,value_b\n1,2,1,0,0,5,6\n1,3,0,1,2,5,7\n"
        "1,4,0,1,1,5,6\n2,3,0,0,1,6,7\n2,4,0,0,1,6,6\n3,4,1,0,0,7,6\n");
  CHECK(succeeds({"label", input, "--values", "-c", "4", "--contacts", "-"}) ==
        "label_a,label_b,faces_x,faces_y,edges,value_a,value_b\n1,4,0,1,1,5,7\n2,3,1,0,0,6,5\n"
        "2,4,0,0,1,6,7\n2,5,0,0,1,6,6\n3,5,0,1,0,5,6\n");
}

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
