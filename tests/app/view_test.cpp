#include "binary.hpp"
#include "support/test.hpp"

// Pages of labels, as far as it shows without a browser (view_page.py).
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

struct Pages : WorkFolder {
  void copy_cells(const Words& names) const {
    for (const std::string& name : names) {
      fs::create_directories(fs::path(*this / name).parent_path());
      fs::copy(source_file("data/cells.tif"), *this / name);
    }
  }
  /// The JSON of an element of a page.
  Json element(const std::string& page, const std::string& id) const {
    const std::string text = read(page), begin = "id=\"" + id + "\">";
    const std::size_t at = text.find(begin) + begin.size();
    return Json::parse(text.substr(at, text.find("</script>", at) - at));
  }
  Json head(const std::string& page) const { return element(page, "head"); }
  bool exists(const std::string& name) const { return fs::exists(*this / name); }
};

TEST_CASE_METHOD(Pages, "a page has the components of its labeling, and nothing that ends a script early") {
  copy_cells({"<script>.tif", "other.tif"});
  const std::string label = "label <script>.tif --quiet ";
  succeeds(label + "--min-size 200 --view page.html");
  const Json shown = head("page.html"), report = json(label + "--min-size 200");
  CHECK(shown["components"] == report["labeling"]["components"]);
  CHECK(shown["rows"] == report["components"].size());
  CHECK(shown["extent"] == Json({160, 120, 48}));
  CHECK(shown["title"] == "<script>.tif");
  CHECK(shown["command"]["options"] == report["options"]);
  CHECK(shown["left_out"].empty());
  CHECK(!shown.contains("index"));
  CHECK(shown["images"].size() == 1);
  CHECK(shown["inverted"] == false);
  CHECK_FALSE(has(read("page.html"), "<script>.tif"));
  succeeds(label + "--invert --view inverted.html");
  CHECK(head("inverted.html")["inverted"] == true);
  succeeds(label + "--invert --intensity other.tif --view other.html");
  CHECK(head("other.html")["inverted"] == false);  // of another image
  // Another run gives the same bytes.
  succeeds(label + "--min-size 200 --view again.html");
  CHECK(read("page.html") == read("again.html"));
  // Slices are those of the file, and columns name their images.
  succeeds(label + "--page 2..3 --per-slice --view slices.html");
  CHECK(has(read("slices.html"), "\"first_slice\":2"));
  succeeds(label + "--intensity other.tif,<script>.tif --measure intensity_mean --view columns.html");
  CHECK(has(read("columns.html"),
            R"("definition":"Mean of the samples","filters":true,"name":"intensity_mean[other]")"));
}

TEST_CASE_METHOD(
    Pages, "a page opens on the channel that a threshold has segmented, or on the measured one of a mask") {
  nrrd("both.nrrd", "2 4 2 1", {1, 9, 0, 9, 1, 0, 0, 0, 1, 9, 0, 0, 1, 0, 0, 9}, "uint8",
       "kinds: vector domain domain domain\n");
  const auto shown = [&](const std::string& more) {
    succeeds(
        "label both.nrrd --channel 1 --intensity both.nrrd --intensity-channel 0 --view page.html --quiet " +
        more);
    std::string channels;
    const Json page = head("page.html");
    for (const Json& image : page["images"])
      if (image["shown"] == true) channels += image["name"].get<std::string>() + ";";
    return channels;
  };
  CHECK(shown("--threshold 4") == "channel 1;");
  CHECK(shown("--threshold otsu") == "channel 1;");
  CHECK(shown("") == "channel 0;");
  nrrd("movie.nrrd", "2 1 1 2", "\1\1\1\1");
  succeeds("label movie.nrrd --frame all --view pages/ --quiet");
  CHECK(head("pages/movie-t0001.html")["title"] == "movie.nrrd, time point 1");
  CHECK(has(read("pages/index.html"), R"("name":"movie-t0001","status":"labeled")"));
}

TEST_CASE_METHOD(Pages, "table, report and label image give a page the same columns") {
  copy_cells({"cells.tif"});
  succeeds("label cells.tif -o labels.tif --stats t.csv --view whole.html --quiet");
  const std::string mark = "\xef\xbb\xbf";  // of Excel
  write("marked.csv", mark + read("t.csv"));
  write("marked.json", mark + read("labels.json"));
  succeeds("view labels.tif --stats t.csv -o a.html");
  const Json columns = head("a.html")["columns"];
  for (const char* words :
       {"--stats t.csv", "--report labels.json", "", "--stats marked.csv --report marked.json"}) {
    CAPTURE(words);
    succeeds("view labels.tif -o b.html --overwrite " + std::string(words));
    CHECK(head("b.html")["columns"] == columns);
    CHECK(head("b.html")["components"] == 48);
    CHECK(head("b.html")["command"]["options"] == (has(words, "--report") ? "" : "measure"));
  }
  succeeds("view labels.tif --spacing 0.5,0.25,2,um -o e.html");
  CHECK(head("e.html")["command"]["options"] == "measure --spacing 0.5,0.25,2,um");
}

TEST_CASE_METHOD(Pages, "a batch has a page for each input, and an index with failures") {
  copy_cells({"in/a.tif", "in/sub/a.tif"});
  write("in/broken.tif", "no image");
  ends("label in --recursive --view pages/ --quiet", 65, {});
  for (const auto& [page, index] :
       {std::pair("pages/a.html", "index.html"), {"pages/sub/a.html", "../index.html"}}) {
    CHECK(head(page)["components"] == 48);
    CHECK(head(page)["index"] == index);
  }
  CHECK(!exists("pages/broken.html"));
  const Json inputs = element("pages/index.html", "batch")["inputs"];
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[0]["page"] == "a.html");
  CHECK(inputs[0]["components"] == 48);
  CHECK(inputs[0]["thumbnail"].get<std::string>().starts_with("iVBORw0KGgo"));
  CHECK(inputs[1]["status"] == "failed");
  CHECK(inputs[1].contains("error"));
  CHECK(!inputs[1].contains("page"));
  CHECK(inputs[2]["page"] == "sub/a.html");

  // One input and a folder is a batch too.
  succeeds("label in/a.tif --view one/ --quiet");
  CHECK(exists("one/index.html"));
  fails("label in --recursive --view pages/ --skip-existing", 64,
        "--skip-existing and --view cannot be combined");
  copy_cells({"in/index.tif"});
  fails("label in --view other/", 64,
        "other/index.html; rename the input, or label it alone with --view FILE.html");
  CHECK(!exists("other/index.html"));
}

TEST_CASE_METHOD(Pages, "options of a batch that name folders are no command for one of its images") {
  copy_cells({"in/a.tif", "dapi/a.tif", "seeds/a.tif", "b.tif"});
  const auto is_batch = [&](const std::string& words) {
    succeeds("label " + words + " --quiet");
    succeeds("view out/a.tiff --report out/a.json -o p.html --overwrite");
    return head("p.html")["command"]["batch"].get<bool>();
  };
  CHECK(is_batch("in -o out/ --intensity dapi"));
  CHECK(is_batch("in -o out/ --seeds seeds"));
  CHECK_FALSE(is_batch("in -o out/"));
  CHECK_FALSE(is_batch("in/a.tif -o out/a.tiff --intensity dapi/a.tif"));
  CHECK_FALSE(is_batch("in/a.tif -o out/a.tiff --intensity in/a.tif,b.tif --seeds seeds/a.tif"));
}

TEST_CASE_METHOD(Pages, "a foreign index is replaced with --overwrite only") {
  copy_cells({"in/a.tif"});
  make_folders({"pages"});
  const std::string again = "label in --view pages/ --quiet", name = "pages/index.html";
  write(name, "");
  succeeds(again);  // an empty one
  const std::string ours = read(name);
  succeeds(again);
  CHECK(read(name) == ours);
  for (const std::string& foreign :
       {std::string("<!DOCTYPE html><title>mine</title>"), std::string("{}"), read("pages/a.html")}) {
    write(name, foreign);
    fails(again, 73, "was not written by gpuccl; use another folder, or add --overwrite");
    CHECK(read(name) == foreign);
  }
  succeeds(again + " --overwrite");
  CHECK(read(name) == ours);
}

TEST_CASE_METHOD(Pages, "inputs whose names are long or not UTF-8 have pages of their own") {
  const std::string longest(251, 'x');
  std::string wide;
  while (wide.size() < 250) wide += "\u00e4";
  const Words names = {longest + ".tif",
                       longest.substr(1) + "y.tif",
                       wide.substr(0, 250) + "z.tif",
                       "caf\xe9.tif",
                       "caf\xe8.tif",
                       "\xe9t\xe9/a.tif",
                       "100% & #1?.tif"};
  for (const std::string& name : names) copy_cells({"in/" + name});
  succeeds("label in --recursive --view pages/ --quiet");
  const Json inputs = element("pages/index.html", "batch")["inputs"];
  REQUIRE(inputs.size() == names.size());
  std::set<std::string> pages;
  for (const Json& input : inputs) {
    const auto page = input["page"].get<std::string>();
    CAPTURE(page);
    CHECK(pages.insert(page).second);
    CHECK(fs::path(page).filename().string().size() <= 255);
    CHECK(head("pages/" + page)["components"] == 48);
  }
  CHECK(pages.contains("100% & #1?.html"));
}

TEST_CASE_METHOD(Pages, "images that do not belong together make no page") {
  copy_cells({"cells.tif"});
  succeeds("label cells.tif -o labels.tif --stats t.csv --quiet");
  succeeds("label cells.tif --largest 3 -o three.tif --quiet");
  write("three.csv", "label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz\n1,7,0,0,0,1,1,1,0,0,0\n");
  nrrd("colors.nrrd", "3 2 2 1", std::string(12, '\1'), "uint8", "kinds: vector domain domain domain\n");
  make_folders({"folder"});
  succeeds("label cells.tif -o labels.tif --no-components --json short.json --quiet");
  succeeds("view labels.tif --report short.json --stats t.csv -o with.html");
  std::string text = read("short.json");
  write("long.json", text.insert(text.find("cells.tif"), std::string(5'000'000, 'x')));
  const std::string page = "view labels.tif -o page.html ";
  fails(page + "--frame 3", 64, "--page need --image IMAGE");
  fails(page + "--image " + source_file("data/page.png"), 65,
        "page.png: has 1240x1754 pixels, the labels have 160x120x48");
  fails("view three.tif --stats t.csv -o page.html", 65,
        "t.csv: has a component of label 4, which the label image lacks");
  ends("view three.tif --stats three.csv -o other.html", 0,
       {"three.csv: has other areas than the labels of three.tif"});
  fails(page + "--image colors.nrrd --channel 9", 65, "has no channel 9: there are 3 channels");
  fails("view folder -o page.html", 64, "is a folder, but a page shows one label image");
  fails(page + "--stats labels.tif", 65, "is not a table of components");
  fails(page + "--report t.csv", 65, "is not a report");
  fails(page + "--report short.json", 65,
        "short.json: has no list of components; set their table with --stats");
  fails(page + "--report long.json", 65, "has more text than a report");
  fails(page + "--report none.json", 66, "none.json");
  fails("view labels.tif -o page.csv", 64, "has the wrong extension");
  fails("view labels.tif", 64, "--output");
  CHECK(!exists("page.html"));
  write("page.html", "mine");
  fails(page + "--no-clobber", 73, "page.html");
  fails("label cells.tif cells.tif -o out/ --view page.html", 64, "use --view FOLDER/");
  fails("label cells.tif -o o.tif --part 1/2 --parts-dir p --view page.html", 64, "--view");
  CHECK(read("page.html") == "mine");
}

}  // namespace
}  // namespace gpuccl
