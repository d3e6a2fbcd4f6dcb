#include "binary.hpp"
#include "support/test.hpp"

// `--measure`: which columns there are, where they go, and what the documents say of them.
namespace gpuccl {
namespace {

Json table_of_measures() { return Json::parse(succeeds({"list", "--measures", "--json"})); }

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  if (line.ends_with(',')) fields.emplace_back();
  return fields;
}

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(fields_of(line));
  return rows;
}

/// The names of the measures that some groups stand for in labelings of images, or of volumes.
std::vector<std::string> names(const std::set<std::string>& groups, const std::string& of) {
  std::set<std::string> not_in_groups{"inscribed_radius", "inscribed_radius_physical"};
  if (of == "volumes") not_in_groups.insert({"area_convex", "solidity", "feret_diameter_max"});
  std::vector<std::string> names;
  for (const Json& measure : table_of_measures())
    if (groups.contains(measure["group"]) && std::string(measure["of"]).find(of) != std::string::npos &&
        !not_in_groups.contains(measure["name"]))
      names.push_back(measure["name"]);
  return names;
}

/// The columns behind the basic ones, whose last is `last_basic`.
std::vector<std::string> added(const std::vector<std::string>& header, const std::string& last_basic) {
  auto from = header.begin();
  while (from != header.end() && *from != last_basic) ++from;
  REQUIRE(from != header.end());
  return {from + 1, header.end()};
}

std::string csv(const std::string& input, const Words& options) {
  return succeeds(joined({"label", input, "--stats", "-"}, options));
}

TEST_CASE("a group of measures adds its columns of images or of volumes, in the order of the table") {
  const std::string cells = source_file("data/cells.tif"), page = source_file("data/page.png");
  for (const std::string group : {"shape", "border"}) {
    CAPTURE(group);
    CHECK(added(read_csv(csv(cells, {"--measure", group})).front(), "cz") == names({group}, "volumes"));
    CHECK(added(read_csv(csv(cells, {"--measure", group, "--per-slice"})).front(), "cz") ==
          names({group}, "images"));
    CHECK(added(read_csv(csv(page, {"--measure", group})).front(), "cy") == names({group}, "images"));
  }
  for (const std::string with : {"", "all,", "shape,"}) {
    const auto columns = read_csv(csv(cells, {"--measure", with + "feret_diameter_max"})).front();
    CHECK(std::count(columns.begin(), columns.end(), "feret_diameter_max") == 1);
  }
  const auto compared = read_csv(csv(cells, {"--measure", "extent", "--keep", "feret_diameter_max > 30"}));
  CHECK(compared.front().back() == "extent");
  CHECK(compared.size() > 1);
  CHECK(csv(page, {"--measure", "basic"}) == csv(page, {}));
  CHECK(csv(page, {"--measure", "area,cx"}) == csv(page, {}));
  CHECK(added(read_csv(csv(page, {"--measure", "border_x1,extent,border_x0"})).front(), "cy") ==
        std::vector<std::string>{"extent", "border_x0", "border_x1"});
}

TEST_CASE("report and table have the same values") {
  const ScratchFolder scratch;
  for (const Words& options : {Words{}, Words{"--per-slice", "--order", "size", "--largest", "20"}}) {
    succeeds(joined({"label", source_file("data/cells.tif"), "--measure", "all", "--stats", scratch / "t.csv",
                     "--json", scratch / "r.json"},
                    options));
    const auto rows = read_csv(read_file(scratch / "t.csv"));
    const Json components = Json::parse(read_file(scratch / "r.json"))["components"];
    REQUIRE(components.size() + 1 == rows.size());
    const std::vector<std::string> columns = added(rows[0], "cz");
    CHECK(columns.size() > 10);
    for (std::size_t i = 0; i < components.size(); ++i) {
      CHECK(components[i].size() == 4 + columns.size());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        CAPTURE(i, columns[c]);
        const std::string& field = rows[i + 1][rows[0].size() - columns.size() + c];
        const Json& value = components[i].at(columns[c]);
        CHECK((field.empty() ? value.is_null() : value == Json::parse(field)));
      }
    }
  }
}

TEST_CASE("lines have no elongation, also after rounding") {
  const ScratchFolder scratch;
  std::string line = "P1 40 40";
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) line += x == y ? " 1" : " 0";
  write_file(scratch / "line.pbm", line + "\n");
  for (const char* spacing : {"0.1,0.3", "0.3,0.7", "5,30"}) {
    const Json report =
        Json::parse(succeeds({"label", scratch / "line.pbm", "--invert", "--quiet", "--spacing", spacing,
                              "--measure", "elongation_physical", "--json", "-"}));
    CHECK(report["components"].at(0).at("elongation_physical").is_null());
  }
}

TEST_CASE("sphericity does not depend on the size of elements") {
  const ScratchFolder scratch;
  const std::string dots = scratch / "dots.tif";
  succeeds({"generate", "dots", "--size", "6x6x3", "-o", dots});
  const auto sphericity = [&](const std::string& side) {
    const Json report =
        Json::parse(succeeds({"label", dots, "--quiet", "--spacing", side + "," + side + "," + side,
                              "--measure", "sphericity_physical", "--json", "-"}));
    return report["components"].at(0).at("sphericity_physical").get<double>();
  };
  CHECK(std::abs(sphericity("1e78") / sphericity("1") - 1) < 1e-9);
  CHECK(std::abs(sphericity("1e-70") / sphericity("1") - 1) < 1e-9);
}

TEST_CASE("measures that were asked for by name and are not of this image are said to be left out") {
  const std::string page = source_file("data/page.png"), cells = source_file("data/cells.tif");
  const auto said = [](const std::string& image, const std::string& measures,
                       const std::string& more = "--quiet") {
    return gpuccl({"label", image, "--stats", "/dev/null", "--measure", measures, more}).err;
  };
  const std::string of_volumes = ": --measure: left out axis_middle_length, tunnels, measured in volumes";
  CHECK(said(page, "extent,tunnels,axis_middle_length", "--overwrite").find(of_volumes) != std::string::npos);
  CHECK(said(cells, "eccentricity", "--overwrite").find("left out eccentricity, measured in images") !=
        std::string::npos);
  CHECK(said(cells, "holes", "--overwrite").find("a volume, whose holes are cavities and tunnels") !=
        std::string::npos);
  CHECK(said(page, "shape,tunnels") == "");
  CHECK(said(page, "all", "--overwrite") == "");
  CHECK(said(cells, "tunnels", "--overwrite") == "");
}

TEST_CASE("anisotropic spacing gets a hint that names physical measures") {
  const auto hints = [](const std::string& measures, const std::string& spacing) {
    return report_of(
        {source_file("data/cells.tif"), "--quiet", "--measure", measures, "--spacing", spacing})["hints"];
  };
  for (const char* measures : {"shape", "sphericity", "axis_major_length,sphericity_physical"}) {
    CAPTURE(measures);
    CHECK(hints(measures, "5,5,30")
              .dump()
              .find("voxels are anisotropic, but shape is measured in voxels; --measure physical uses the "
                    "spacing") != std::string::npos);
  }
  for (const char* measures : {"shape,physical", "all", "extent", "border", "sphericity_physical"})
    CHECK(hints(measures, "5,5,30,nm").dump().find("spacing") == std::string::npos);
  CHECK(hints("shape", "5,5,5").dump().find("spacing") == std::string::npos);
}

TEST_CASE("impossible measures are one line of error") {
  const std::string page = source_file("data/page.png");
  fails({"label", page, "--stats", "-", "--measure", "exent"}, 64, "did you mean extent?");
  fails({"label", page, "--stats", "-", "--measure", "Area"}, 64,
        "did you mean area, which every table has?");
  fails({"label", page, "--stats", "-", "--measure", "Volume"}, 64,
        "did you mean area (area_physical in the unit of the spacing), which every table has?");
  fails({"label", page, "--stats", "-", "--keep", "volume > 10"}, 64,
        "did you mean area (area_physical in the unit of the spacing)?");
  fails({"label", page, "--stats", "-", "--measure", "Centroid"}, 64,
        "mean cx, cy, cz, which every table has?");
  fails({"label", page, "--stats", "-", "--measure", "mean"}, 64, "did you mean intensity_mean?");
  fails({"label", page, "--stats", "-", "--measure", "surface_area"}, 64, "mean surface_crofton?");
  fails({"label", page, "--stats", "-", "--measure", "q"}, 64, "see gpuccl list --measures");
  fails({"label", page, "--stats", "-", "--measure", "shape,"}, 64, "is not a measure");
  fails({"label", page, "--stats", "-", "--measure", ""}, 64, "is not a measure");
  for (const char* physical :
       {"physical", "equivalent_diameter_area_physical", "area_physical", "shape,physical"})
    fails({"label", page, "--stats", "-", "--measure", physical}, 65, "spacing");
  const auto rows = read_csv(csv(page, {"--measure", "all", "--largest", "1"}));
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    CAPTURE(rows[0][i]);
    CHECK(rows[1].at(i).empty() == rows[0][i].ends_with("_physical"));
  }
}

TEST_CASE("manual, schema and docs/ have the table of measures") {
  const std::string page = read_file(source_file("docs/measures.md"));
  CHECK(page.find("<!-- measures -->\n" + succeeds({"list", "--measures", "--markdown"}) +
                  "<!-- end of measures -->\n") != std::string::npos);
  const std::string text = succeeds({"list", "--measures"});
  std::string manual = read_file(source_file("man/gpuccl-label.1"));
  for (char& c : manual)
    if (c == '\n') c = ' ';
  std::erase(manual, '\\');
  const Json row = Json::parse(
      read_file(source_file("data/report.schema.json")))["properties"]["components"]["items"]["properties"];
  std::size_t count = 0;
  for (const Json& measure : table_of_measures()) {
    const std::string name = measure["name"], definition = measure["definition"], unit = measure["unit"];
    CAPTURE(name);
    CHECK(text.find(definition) != std::string::npos);
    const std::size_t entry = manual.find(".TP fB" + name + "fR (");
    REQUIRE(entry != std::string::npos);
    CHECK(manual.find(unit + ") " + definition, entry) < manual.find(".TP", entry + 1));
    if (measure["group"] == "basic") continue;
    REQUIRE(row.contains(name));
    CHECK(row[name]["description"] == definition + (unit == "1" ? "." : "; in " + unit + "."));
    ++count;
  }
  CHECK(row.size() == 7 + count);
}

}  // namespace
}  // namespace gpuccl
