#include "io/report/report.hpp"

#include <nlohmann/json.hpp>

#include "io/files/json.hpp"
#include "io/report/csv_tables.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

using Json = nlohmann::json;

Components sample_components(std::size_t count) {
  Components components;
  components.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int at = static_cast<int>(i);
    components.area[i] = 1 + i % 7;
    components.box[i] = {{at, at / 2, at / 3}, {at + 4, at / 2 + 2, at / 3 + 1}};
    components.sum[i] = {i * components.area[i] + 2, i / 2 * components.area[i] + 1,
                         i / 3 * components.area[i]};
  }
  return components;
}

std::string report_text(const Report& report, const Components& components) {
  std::string text;
  stream_report([&](std::string_view piece) { text += piece; }, report, components);
  return text;
}

TEST_CASE("extreme numbers are written without an exponent") {
  Components components = sample_components(2);
  components.area = {1u << 31, ~std::uint64_t{0}};
  components.sum[0] = {1, 0, 0};
  components.sum[1] = {~std::uint64_t{0}, 0, 0};
  components.box[1] = {{2147483647, 2147483647, 2147483647}, {2147483647, 2147483647, 2147483647}};
  Report report;
  report.volume = true;
  const std::string text = report_text(report, components);
  const Json json = Json::parse(text);
  CHECK(json["components"][0]["centroid"][0].get<double>() == 1.0 / 2147483648.0);
  CHECK(text.find("[0.0000000004656612873077393,0,0]") != std::string::npos);
  CHECK(json["components"][1]["area"] == ~std::uint64_t{0});
  CHECK(json["components"][1]["bbox"][3] == 2147483647);
}

TEST_CASE("with a spacing there are volumes and places in its unit") {
  const Components components = sample_components(2);
  Geometry geometry{.spacing = {0.5, 0.25, 4}, .unit = LengthUnit::um};
  // Slices whose distance is unknown have no volumes.
  geometry.spacing[2] = 0;
  Report report;
  report.volume = true;
  report.input.geometry = geometry;
  Json json = Json::parse(report_text(report, components));
  CHECK(json["input"]["geometry"] == Json::parse(R"({"spacing": [0.5, 0.25, null], "unit": "um",
    "origin": null, "directions": null, "space": null})"));
  CHECK(!json["components"][0].contains("area_physical"));

  geometry.spacing[2] = 4;
  geometry.unit = LengthUnit::unknown;
  geometry.orientation = {WorldSpace::ras, {{{0, 0.5, 0}, {-0.25, 0, 0}, {0, 0, 4}}}, {10, 20, -30}};
  report.input.geometry = geometry;
  json = Json::parse(report_text(report, components));
  CHECK(json["input"]["geometry"] == Json::parse(R"({"spacing": [0.5, 0.25, 4], "unit": null,
    "origin": [10, 20, -30], "directions": [[0, 0.5, 0], [-0.25, 0, 0], [0, 0, 4]], "space": "RAS"})"));
  CHECK(json["components"][1]["area_physical"] == 1);
  CHECK(json["components"][1]["centroid_physical"] == Json::parse("[9.875, 21, -30]"));

  std::string rows = joint_stats_header();
  const TextSink add = [&](std::string_view text) { rows += text; };
  write_joint_stats_rows(add, "a.png", false, {}, sample_components(1));
  write_joint_stats_rows(add, "b.nii", true, geometry, sample_components(1));
  CHECK(rows ==
        "file,label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz,area_physical,cx_physical,cy_physical,cz_physical,unit\n"
        "a.png,1,1,0,0,0,4,2,1,2,1,0,,,,,\nb.nii,1,1,0,0,0,4,2,1,2,1,0,0.5,9.75,21,-30,\n");
}

TEST_CASE("JSON is read to a depth, and brackets in strings are not nesting") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  int refused = 0;
  const auto count = [&] { ++refused; };
  CHECK(parse_json(nested(3), 3, count).is_array());
  CHECK(refused == 0);
  CHECK(parse_json(nested(4), 3, count).is_discarded());
  CHECK(parse_ordered_json(std::string(1 << 20, '['), kDeepestJson, count).is_discarded());
  CHECK(refused == 2);
  CHECK(parse_json("[1", 3, count).is_discarded());
  CHECK(parse_json("", 3, count).is_discarded());
  CHECK(refused == 2);
  const std::string brackets(100, '[');
  CHECK(parse_json(R"({"\"{": ")" + brackets + R"(\\", "b": [")" + brackets + R"("]})", 2) ==
        Json({{"\"{", brackets + "\\"}, {"b", {brackets}}}));
  CHECK(json_text(parse_ordered_json(R"({"b": [1, 2], "a": null})")) == R"({"b":[1,2],"a":null})");
}

TEST_CASE("numbers that Python writes and JSON does not have are read as strings") {
  CHECK(parse_json(R"({"a": [NaN, -Infinity,Infinity], "\"NaN": "NaN, \\"})") ==
        Json({{"a", {"NaN", "-Infinity", "Infinity"}}, {"\"NaN", "NaN, \\"}}));
  CHECK(parse_json("{\"a\": NaNs}").is_discarded());
  CHECK(parse_json("{\"a\": NaN, \"b\": [[]]}", 2).is_discarded());
}

TEST_CASE("members keep their order, and numbers without a type in JSON their text") {
  for (const char* const text :
       {R"({"b":[NaN,-Infinity],"a":123456789012345678901234567890})", R"({"z":"NaN","a":[1,NaN],"m":-0.5})",
        R"([-99999999999999999999,18446744073709551615,"Infinity"])", "[NaN]"})
    CHECK(json_text(parse_ordered_json(text)) == text);
  CHECK(json_text(parse_ordered_json(R"({"a":1,"b":2,"a":NaN})")) == R"({"a":NaN,"b":2})");
  for (const char* const text : {"[NaNs]", "[1e999]", "{\"a\":NaN", "[-NaN]"})
    CHECK(parse_ordered_json(text).is_discarded());
}

TEST_CASE("bytes that are not UTF-8 are replaced in JSON") {
  CHECK(json_text(Json("a\xff")) == "\"a\xef\xbf\xbd\"");
  CHECK(as_utf8("a\xff[\"\\") == "a\xef\xbf\xbd[\"\\");
  CHECK(!is_utf8("\xc3"));
  CHECK(is_utf8("\xc3\xa4"));
  CHECK(is_utf8(""));
}

}  // namespace
}  // namespace gpuccl::io
