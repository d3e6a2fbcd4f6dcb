#include <filesystem>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"

// Pages of labels, as far as it shows without a browser (view_page.py).
namespace gpuccl {
namespace {

/// What a page says of its data.
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
  CHECK(read_file(page).find("<script>.tif") == std::string::npos);
  // The same bytes again.
  succeeds({"label", input, "--min-size", "200", "--view", scratch / "again.html", "--quiet"});
  CHECK(read_file(page) == read_file(scratch / "again.html"));
}

TEST_CASE("table, report and label image give a page the same columns") {
  const ScratchFolder scratch;
  const std::string cells = source_file("data/cells.tif"), labels = scratch / "labels.tif";
  succeeds({"label", cells, "-o", labels, "--stats", scratch / "t.csv", "--view", scratch / "whole.html",
            "--quiet"});
  succeeds({"view", labels, "--stats", scratch / "t.csv", "-o", scratch / "a.html"});
  succeeds({"view", labels, "--report", scratch / "labels.json", "-o", scratch / "b.html"});
  succeeds({"view", labels, "-o", scratch / "c.html"});
  for (const char* name : {"a.html", "b.html", "c.html"}) {
    CAPTURE(name);
    CHECK(head_of(scratch / name)["columns"] == head_of(scratch / "a.html")["columns"]);
    CHECK(head_of(scratch / name)["components"] == 48);
  }
}

TEST_CASE("what does not belong together makes no page") {
  const ScratchFolder scratch;
  const std::string cells = source_file("data/cells.tif"), labels = scratch / "labels.tif",
                    page = scratch / "page.html";
  succeeds({"label", cells, "-o", labels, "--stats", scratch / "t.csv", "--quiet"});
  fails({"view", labels, "--image", source_file("data/page.png"), "-o", page}, 65, "160x120x48");
  succeeds({"label", cells, "--largest", "3", "-o", scratch / "three.tif", "--quiet"});
  fails({"view", scratch / "three.tif", "--stats", scratch / "t.csv", "-o", page}, 65,
        "which the label image lacks");
  fails({"view", labels, "--stats", labels, "-o", page}, 65, "is not a table of components");
  fails({"view", labels, "--report", scratch / "t.csv", "-o", page}, 65, "is not a report");
  fails({"view", labels, "--report", scratch / "none.json", "-o", page}, 66, "none.json");
  fails({"view", labels, "-o", scratch / "page.csv"}, 64, "has the wrong extension");
  fails({"view", labels}, 64, "--output");
  CHECK(!std::filesystem::exists(page));
  write_file(page, "mine");
  fails({"view", labels, "--no-clobber", "-o", page}, 73, "page.html");
  fails({"label", cells, cells, "-o", scratch / "out/", "--view", page}, 64, "--view is for one input");
  fails({"label", cells, "-o", scratch / "o.tif", "--part", "1/2", "--parts-dir", scratch / "p", "--view",
         page},
        64, "--view");
  CHECK(read_file(page) == "mine");
}

}  // namespace
}  // namespace gpuccl
