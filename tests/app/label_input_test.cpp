#include "binary.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

// Foreground of inputs, and kinds of inputs.
namespace gpuccl {
namespace {

TEST_CASE("a stream is read once") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.png", tests::drawn(Words{"#.#"}).view());
  for (const char* other : {"-", "/dev/stdin", "/dev/fd/0"}) {
    for (const Words& words : {Words{GPUCCL_PROGRAM, "label", "-", "--json", "-", "--intensity", other},
                               Words{GPUCCL_PROGRAM, "compare", "-", other}}) {
      Command command;
      command.words = {"sh", "-c", "image=$1; shift; cat \"$image\" | \"$@\"", "sh", image};
      command.words.insert(command.words.end(), words.begin(), words.end());
      const Ended ended = run(command);
      CHECK(ended.code == 64);
      CHECK(ended.out == "");
      CHECK_THAT(ended.err, tests::containing(words[1] == "label" ? "cannot be both input and --intensity"
                                                                  : "is a stream and can be read only once"));
    }
  }
}

TEST_CASE("tables of slices labeled separately have the numbers of pages in the file") {
  const ScratchFolder scratch;
  const std::string pages =
      save(scratch / "in.tif", tests::drawn(Slices{{"#.#"}, {"..."}, {"###"}, {"#.."}}).view());
  for (const char* name : {"in.tif", "in.nii", "in.nrrd", "in.npy", "in.zarr"}) {
    const std::string input = scratch / name;
    if (input != pages) succeeds({"label", pages, "-o", input, "--quiet"});
    const Words words = {"label", input, "--page", "2..3", "--per-slice", "--spacing", "1,1,2", "--quiet"};
    const auto output = [&](const Words& more) {
      Words all = words;
      all.insert(all.end(), more.begin(), more.end());
      return succeeds(all);
    };
    const std::string head = "label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz,area_physical,cx_physical,cy_physical,",
                      first = "1,3,0,0,2,2,0,2,1,0,2,", second = "1,0,0,3,0,0,3,0,0,3,";
    const std::string table = output({"--stats", "-"});
    CHECK(table.starts_with(head));
    CHECK(table.find("\n" + first + "3,") != std::string::npos);
    CHECK(table.find("\n2," + second + "1,") != std::string::npos);
    const bool has_origin = input.ends_with(".nii");  // that of the selected slices
    CHECK((table.find(",1,0,4,") != std::string::npos && table.find(",0,0,6,") != std::string::npos) !=
          has_origin);
    const Json report = Json::parse(output({"--json", "-"}))["components"];
    CHECK(report[0]["bbox"] == Json({0, 0, 2, 2, 0, 2}));
    CHECK(report[1]["centroid"] == Json({0, 0, 3}));
    for (const char* condition : {"z0 >= 3", "z1 > 2", "cz == 3"})
      CHECK(output({"--stats", "-", "--keep", condition}).find("\n1," + second) != std::string::npos);
    CHECK(output({"--summary", "-"}).find(input + ",2,,1,3,") != std::string::npos);
    CHECK(
        succeeds({"label", input, "--page", "2..3", "--stats", "-", "--quiet"}).find("\n1,4,0,0,0,2,0,1,") !=
        std::string::npos);  // a volume begins with its first slice
    // One page, alone and in a joint table.
    CHECK(succeeds({"label", input, input, "--page", "2", "--per-slice", "--stats", "-", "--quiet"})
              .find("," + first) != std::string::npos);
    // The page finds the slices of a table.
    output({"-o", scratch / "labels.tif", "--stats", scratch / "out.csv", "--view", scratch / "1.html"});
    const std::string labels = scratch / "labels.tif";
    succeeds({"view", labels, "--stats", scratch / "out.csv", "-o", scratch / "2.html"});
    succeeds({"view", labels, "--report", scratch / "labels.json", "-o", scratch / "3.html"});
    for (const char* page : {"1.html", "2.html", "3.html"})
      CHECK(read_file(scratch / page).find("\"first_slice\":2") != std::string::npos);
  }
}

TEST_CASE("option --per-slice labels pages of different size, option --series one of them") {
  const ScratchFolder scratch;
  const auto page = [](std::uint32_t width, std::uint32_t height, const std::string& drawing) {
    tests::TiffPageToWrite one;
    one.width = width;
    one.height = height;
    for (const char c : drawing) one.samples.push_back(c == '#' ? 1 : 0);
    return one;
  };
  const std::string input = scratch / "in.tif", labels = scratch / "out.npy";
  tests::write_tiff(input, {page(4, 1, "#.##"), page(2, 3, "##...#")});
  fails({"label", input, "-o", labels}, 65,
        "contains 2 images (4x1, 2x3); --series N selects one, from 0, --per-slice labels each page "
        "separately");
  succeeds({"label", input, "-o", labels, "--series", "1"});
  CHECK(labels_in(labels) == "1 1/0 0/0 2");
  const Ended warned = gpuccl({"label", input, "-o", labels, "--per-slice"});
  CHECK(warned.code == 0);
  CHECK(warned.err.find("pages have different sizes; smaller ones are at the upper left of 4x3") !=
        std::string::npos);
  const std::string expected = "1 0 2 2/0 0 0 0/0 0 0 0|3 3 0 0/0 0 0 0/0 4 0 0";
  CHECK(labels_in(labels) == expected);
  CHECK(Json::parse(read_file(scratch / "out.json"))["input"]["foreground"] == 0.6);
  succeeds({"label", input, "-o", labels, "--per-slice", "--memory", "1M", "--quiet"});
  CHECK(labels_in(labels) == expected);
  succeeds({"label", input, "-o", labels, "--per-slice", "--values", "--quiet"});
  CHECK(labels_in(labels) == expected);
  // Dark areas at the sides of a page are not holes, and areas next to the page are not dark.
  succeeds({"label", input, "-o", labels, "--per-slice", "--invert", "--fill-holes", "--quiet"});
  CHECK(labels_in(labels) == "0 1 0 0/0 0 0 0/0 0 0 0|0 0 0 0/2 2 0 0/2 0 0 0");
  for (const Words& more : {Words{"--clear-border"}, Words{"--periodic", "x"}, Words{"--intensity", input},
                            Words{"--measure", "border"}, Words{"--keep", "border_x1 == 0"}}) {
    fails(joined({"label", input, "-o", labels, "--per-slice", "--quiet"}, more), 64,
          "its pages have different sizes");
  }
  const std::string alike = scratch / "alike.tif";
  tests::write_tiff(alike, {page(4, 3, "############"), page(4, 3, "############")});
  fails({"label", alike, "-o", labels, "--per-slice", "--intensity", input, "--quiet"}, 65,
        "in.tif: contains 2 images");
}

TEST_CASE("labels of selected pages are where the pages are") {
  const ScratchFolder scratch;
  for (const std::string name : {"o.nii", "o.nii.gz"}) {
    CAPTURE(name);
    const std::string input = scratch / name, output = scratch / "pages-" + name;
    succeeds({"label", source_file("data/cells.tif"), "--spacing", "1,1,2", "-o", input});
    succeeds({"label", input, "--values", "--page", "2..9", "-o", output, "--overwrite"});
    const Json place = report_of({output, "--values"})["input"]["geometry"];
    CHECK(place["origin"][2] == 4);
    CHECK(place == report_of({input, "--values", "--page", "2..9"})["input"]["geometry"]);
    const Json given = report_of({input, "--values", "--page", "2..9", "--spacing", "1,1,3,mm"});
    CHECK(given["input"]["geometry"]["origin"][2] == 6);
  }
}

}  // namespace
}  // namespace gpuccl
