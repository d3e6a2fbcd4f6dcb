#include "binary.hpp"
#include "support/test.hpp"

// Pages of labels, as far as it shows without a browser (view_page.py).
namespace gpuccl {
namespace {

/// Description of the data in a page.
Json head_of(const std::string& page) {
  const std::string text = read_file(page), begin = "id=\"head\">";
  const std::size_t at = text.find(begin) + begin.size();
  return Json::parse(text.substr(at, text.find("</script>", at) - at));
}

TEST_CASE("a page has the components of its labeling, and nothing that ends a script early") {
  const ScratchFolder scratch;
  const std::string page = scratch / "page.html", input = scratch / "<script>.tif";
  std::filesystem::copy(source_file("data/cells.tif"), input);
  succeeds({"label", input, "--min-size", "200", "--view", page, "--quiet"});
  const Json head = head_of(page);
  const Json report = Json::parse(succeeds({"label", input, "--min-size", "200", "--json", "-", "--quiet"}));
  CHECK(head["components"] == report["labeling"]["components"]);
  CHECK(head["rows"] == report["components"].size());
  CHECK(head["extent"] == Json({160, 120, 48}));
  CHECK(head["title"] == "<script>.tif");
  CHECK(head["command"]["options"] == report["options"]);
  CHECK(head["left_out"].empty());
  CHECK(!head.contains("index"));
  CHECK(head["images"].size() == 1);
  CHECK(head["inverted"] == false);
  succeeds({"label", input, "--invert", "--view", scratch / "inverted.html", "--quiet"});
  CHECK(head_of(scratch / "inverted.html")["inverted"] == true);
  succeeds({"label", input, "--invert", "--intensity", source_file("data/cells.tif"), "--view",
            scratch / "other.html", "--quiet"});
  CHECK(head_of(scratch / "other.html")["inverted"] == false);  // of another image
  CHECK(read_file(page).find("<script>.tif") == std::string::npos);
  // Another run gives the same bytes.
  succeeds({"label", input, "--min-size", "200", "--view", scratch / "again.html", "--quiet"});
  CHECK(read_file(page) == read_file(scratch / "again.html"));
}

TEST_CASE(
    "a page opens on the channel that a threshold has segmented, or on the one that is measured in a mask") {
  const ScratchFolder scratch;
  const std::string both =
      save_nrrd(scratch / "both.nrrd", "uint8", "2 4 2 1", {1, 9, 0, 9, 1, 0, 0, 0, 1, 9, 0, 0, 1, 0, 0, 9},
                "kinds: vector domain domain domain\n");
  const auto shown = [&](const Words& more) {
    succeeds(joined({"label", both, "--channel", "1", "--intensity", both, "--intensity-channel", "0",
                     "--view", scratch / "page.html", "--quiet"},
                    more));
    std::string channels;
    const Json head = head_of(scratch / "page.html");
    for (const Json& image : head["images"])
      if (image["shown"] == true) channels += image["name"].get<std::string>() + ";";
    return channels;
  };
  CHECK(shown({"--threshold", "4"}) == "channel 1;");
  CHECK(shown({"--threshold", "otsu"}) == "channel 1;");
  CHECK(shown({}) == "channel 0;");
  const std::string movie = save_nrrd(scratch / "movie.nrrd", "uint8", "2 1 1 2", "\1\1\1\1");
  succeeds({"label", movie, "--frame", "all", "--view", scratch / "pages/", "--quiet"});
  CHECK(head_of(scratch / "pages/movie-t0001.html")["title"] == "movie.nrrd, time point 1");
  CHECK(read_file(scratch / "pages/index.html").find(R"("name":"movie-t0001","status":"labeled")") !=
        std::string::npos);
}

TEST_CASE("table, report and label image give a page the same columns") {
  const ScratchFolder scratch;
  const std::string cells = source_file("data/cells.tif"), labels = scratch / "labels.tif";
  succeeds({"label", cells, "-o", labels, "--stats", scratch / "t.csv", "--view", scratch / "whole.html",
            "--quiet"});
  succeeds({"view", labels, "--stats", scratch / "t.csv", "-o", scratch / "a.html"});
  succeeds({"view", labels, "--report", scratch / "labels.json", "-o", scratch / "b.html"});
  succeeds({"view", labels, "-o", scratch / "c.html"});
  const std::string mark = "\xef\xbb\xbf";  // of Excel
  write_file(scratch / "marked.csv", mark + read_file(scratch / "t.csv"));
  write_file(scratch / "marked.json", mark + read_file(scratch / "labels.json"));
  succeeds({"view", labels, "--stats", scratch / "marked.csv", "--report", scratch / "marked.json", "-o",
            scratch / "d.html"});
  CHECK(head_of(scratch / "a.html")["command"]["options"] == "measure");
  CHECK(head_of(scratch / "b.html")["command"]["options"] == "");
  succeeds({"view", labels, "--spacing", "0.5,0.25,2,um", "-o", scratch / "e.html"});
  CHECK(head_of(scratch / "e.html")["command"]["options"] == "measure --spacing 0.5,0.25,2,um");
  for (const char* name : {"a.html", "b.html", "c.html", "d.html"}) {
    CAPTURE(name);
    CHECK(head_of(scratch / name)["columns"] == head_of(scratch / "a.html")["columns"]);
    CHECK(head_of(scratch / name)["components"] == 48);
  }
}

TEST_CASE("a batch has a page for each input, and an index with failures") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "in/sub");
  for (const char* name : {"in/a.tif", "in/sub/a.tif"})
    std::filesystem::copy(source_file("data/cells.tif"), scratch / name);
  write_file(scratch / "in/broken.tif", "no image");
  const std::string pages = scratch / "pages/";
  const Ended ended = gpuccl({"label", scratch / "in", "--recursive", "--view", pages, "--quiet"});
  CHECK(ended.code == 65);
  CHECK(head_of(pages + "a.html")["components"] == 48);
  CHECK(head_of(pages + "a.html")["index"] == "index.html");
  CHECK(head_of(pages + "sub/a.html")["components"] == 48);
  CHECK(head_of(pages + "sub/a.html")["index"] == "../index.html");
  CHECK(!std::filesystem::exists(pages + "broken.html"));

  const std::string text = read_file(pages + "index.html"), begin = "id=\"batch\">";
  const std::size_t at = text.find(begin) + begin.size();
  const Json inputs = Json::parse(text.substr(at, text.find("</script>", at) - at))["inputs"];
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[0]["page"] == "a.html");
  CHECK(inputs[0]["components"] == 48);
  CHECK(inputs[0]["thumbnail"].get<std::string>().starts_with("iVBORw0KGgo"));
  CHECK(inputs[1]["status"] == "failed");
  CHECK(inputs[1].contains("error"));
  CHECK(!inputs[1].contains("page"));
  CHECK(inputs[2]["page"] == "sub/a.html");

  // One input and a folder is a batch too.
  succeeds({"label", scratch / "in/a.tif", "--view", scratch / "one/", "--quiet"});
  CHECK(std::filesystem::exists(scratch / "one/index.html"));
  fails({"label", scratch / "in", "--recursive", "--view", pages, "--skip-existing"}, 64,
        "--skip-existing and --view cannot be combined");
  std::filesystem::copy(source_file("data/cells.tif"), scratch / "in/index.tif");
  fails({"label", scratch / "in", "--view", scratch / "other/"}, 64,
        "other/index.html; rename the input, or label it alone with --view FILE.html");
  CHECK(!std::filesystem::exists(scratch / "other/index.html"));
}

TEST_CASE("options of a batch that name folders are no command for one of its images") {
  const ScratchFolder scratch;
  for (const char* folder : {"in", "dapi", "seeds"}) {
    std::filesystem::create_directories(scratch / folder);
    std::filesystem::copy(source_file("data/cells.tif"), scratch / folder + "/a.tif");
  }
  const std::string in = scratch / "in", image = in + "/a.tif", dapi = scratch / "dapi",
                    seeds = scratch / "seeds", out = scratch / "out/", labels = out + "a.tiff";
  const auto is_batch = [&](Words words) {
    words.insert(words.begin(), "label");
    words.emplace_back("--quiet");
    succeeds(words);
    succeeds({"view", labels, "--report", out + "a.json", "-o", scratch / "p.html"});
    return head_of(scratch / "p.html")["command"]["batch"].get<bool>();
  };
  CHECK(is_batch({in, "-o", out, "--intensity", dapi}));
  CHECK(is_batch({in, "-o", out, "--seeds", seeds}));
  CHECK_FALSE(is_batch({in, "-o", out}));
  CHECK_FALSE(is_batch({image, "-o", labels, "--intensity", dapi + "/a.tif"}));
  const std::string second = scratch / "b.tif", both = image + "," + second;
  std::filesystem::copy(image, second);
  CHECK_FALSE(is_batch({image, "-o", labels, "--intensity", both, "--seeds", seeds + "/a.tif"}));
}

TEST_CASE("a foreign index is replaced with --overwrite only") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "in");
  std::filesystem::copy(source_file("data/cells.tif"), scratch / "in/a.tif");
  const Words again = {"label", scratch / "in", "--view", scratch / "pages/", "--quiet"};
  const std::string name = "pages/index.html";
  std::filesystem::remove_all(scratch / "pages");
  std::filesystem::create_directories(scratch / "pages");
  write_file(scratch / name, "");
  succeeds(again);  // an empty one
  const std::string ours = read_file(scratch / name);
  succeeds(again);
  CHECK(read_file(scratch / name) == ours);
  const std::string page = read_file(scratch / "pages/a.html");
  for (const std::string& foreign :
       {std::string("<!DOCTYPE html><title>mine</title>"), std::string("{}"), page}) {
    write_file(scratch / name, foreign);
    fails(again, 73, "was not written by gpuccl; use another folder, or add --overwrite");
    CHECK(read_file(scratch / name) == foreign);
  }
  succeeds(joined(again, {"--overwrite"}));
  CHECK(read_file(scratch / name) == ours);
}

TEST_CASE("inputs whose names are long or not UTF-8 have pages of their own") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "in/\xe9t\xe9");
  const std::string longest(251, 'x');
  std::string wide;
  while (wide.size() < 250) wide += "\u00e4";
  const std::vector<std::string> names = {longest + ".tif",
                                          longest.substr(1) + "y.tif",
                                          wide.substr(0, 250) + "z.tif",
                                          "caf\xe9.tif",
                                          "caf\xe8.tif",
                                          "\xe9t\xe9/a.tif",
                                          "100% & #1?.tif"};
  for (const std::string& name : names)
    std::filesystem::copy(source_file("data/cells.tif"), scratch / ("in/" + name));
  succeeds({"label", scratch / "in", "--recursive", "--view", scratch / "pages/", "--quiet"});
  const std::string text = read_file(scratch / "pages/index.html"), begin = "id=\"batch\">";
  const std::size_t at = text.find(begin) + begin.size();
  const Json inputs = Json::parse(text.substr(at, text.find("</script>", at) - at))["inputs"];
  REQUIRE(inputs.size() == names.size());
  std::set<std::string> pages;
  for (const Json& input : inputs) {
    const auto page = input["page"].get<std::string>();
    CAPTURE(page);
    CHECK(pages.insert(page).second);
    CHECK(std::filesystem::path(page).filename().string().size() <= 255);
    CHECK(head_of(scratch / ("pages/" + page))["components"] == 48);
  }
  CHECK(pages.contains("100% & #1?.html"));
}

TEST_CASE("images that do not belong together make no page") {
  const ScratchFolder scratch;
  const std::string cells = source_file("data/cells.tif"), labels = scratch / "labels.tif",
                    page = scratch / "page.html";
  succeeds({"label", cells, "-o", labels, "--stats", scratch / "t.csv", "--quiet"});
  fails({"view", labels, "--frame", "3", "-o", page}, 64, "--page need --image IMAGE");
  fails({"view", labels, "--image", source_file("data/page.png"), "-o", page}, 65,
        "page.png: has 1240x1754 pixels, the labels have 160x120x48");
  succeeds({"label", cells, "--largest", "3", "-o", scratch / "three.tif", "--quiet"});
  fails({"view", scratch / "three.tif", "--stats", scratch / "t.csv", "-o", page}, 65,
        "t.csv: has a component of label 4, which the label image lacks");
  fails({"view", labels, "--stats", labels, "-o", page}, 65, "is not a table of components");
  fails({"view", labels, "--report", scratch / "t.csv", "-o", page}, 65, "is not a report");
  const std::string report = scratch / "short.json";
  succeeds({"label", cells, "-o", labels, "--no-components", "--json", report, "--quiet"});
  fails({"view", labels, "--report", report, "-o", page}, 65,
        "short.json: has no list of components; set their table with --stats");
  succeeds({"view", labels, "--report", report, "--stats", scratch / "t.csv", "-o", scratch / "with.html"});
  std::string text = read_file(report);
  text.insert(text.find("cells.tif"), std::string(5'000'000, 'x'));
  write_file(scratch / "long.json", text);
  fails({"view", labels, "--report", scratch / "long.json", "-o", page}, 65, "has more text than a report");
  fails({"view", labels, "--report", scratch / "none.json", "-o", page}, 66, "none.json");
  fails({"view", labels, "-o", scratch / "page.csv"}, 64, "has the wrong extension");
  fails({"view", labels}, 64, "--output");
  CHECK(!std::filesystem::exists(page));
  write_file(page, "mine");
  fails({"view", labels, "--no-clobber", "-o", page}, 73, "page.html");
  fails({"label", cells, cells, "-o", scratch / "out/", "--view", page}, 64, "use --view FOLDER/");
  fails({"label", cells, "-o", scratch / "o.tif", "--part", "1/2", "--parts-dir", scratch / "p", "--view",
         page},
        64, "--view");
  CHECK(read_file(page) == "mine");
}

}  // namespace
}  // namespace gpuccl
