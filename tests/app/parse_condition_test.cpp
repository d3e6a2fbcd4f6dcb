#include "app/options/option_helpers.hpp"
#include "support/test.hpp"

namespace gpuccl::app {
namespace {

/// Evaluates a condition for a component of this area whose box begins at x0.
bool holds(const std::string& text, double area, double x0 = 0) {
  MeasureValues values;
  values[MeasureId::area] = area;
  values[MeasureId::x0] = x0;
  return parse_condition(text).holds(values);
}

std::string refused(const std::string& text) {
  try {
    parse_condition(text);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::usage);
    return error.what();
  }
  return "taken";
}

TEST_CASE("relations compare a measure with a number") {
  const struct {
    const char* relation;
    bool below, at, above;
  } relations[] = {{"<", true, false, false}, {"<=", true, true, false},  {">", false, false, true},
                   {">=", false, true, true}, {"==", false, true, false}, {"=", false, true, false},
                   {"!=", true, false, true}};
  for (const auto& [relation, below, at, above] : relations) {
    CAPTURE(relation);
    for (const std::string blank : {"", " "}) {
      const std::string text = "area" + blank + relation + blank + "5.5";
      CHECK(holds(text, 5) == below);
      CHECK(holds(text, 5.5) == at);
      CHECK(holds(text, 6) == above);
      // It has none, which is unequal to every number.
      CHECK(holds("y0" + blank + relation + blank + "5", 5) == (relation == std::string("!=")));
    }
  }
  CHECK(holds("x0 > -1e3", 1, -999));
  CHECK(!holds("x0 > -1e3", 1, -1001));
}

TEST_CASE("'and' binds closer than 'or', and parentheses closer than both") {
  CHECK(holds("area > 1 or area < 0 and x0 > 5", 2, 0));
  CHECK(!holds("(area > 1 or area < 0) and x0 > 5", 2, 0));
  CHECK(holds("x0 > 5 and area < 0 or area > 1", 2, 0));
  CHECK(!holds("x0 > 5 AND (area < 0 OR area > 1)", 2, 0));
  CHECK(holds("((area > 1))", 2));
  // All ways to join four comparisons that hold or do not, against the same in C++.
  for (int bits = 0; bits < 16; ++bits) {
    const auto is = [&](int i) { return (bits >> i & 1) != 0; };
    const auto word = [&](int i) { return std::string("area ") + (is(i) ? "<" : ">") + " 5"; };
    const std::string a = word(0), b = word(1), c = word(2), d = word(3);
    CHECK(holds(a + " and " + b + " or " + c + " and " + d, 1) == ((is(0) && is(1)) || (is(2) && is(3))));
    CHECK(holds(a + " or " + b + " and " + c + " or " + d, 1) == (is(0) || (is(1) && is(2)) || is(3)));
    CHECK(holds("(" + a + " or " + b + ") and (" + c + " or " + d + ")", 1) ==
          ((is(0) || is(1)) && (is(2) || is(3))));
    CHECK(holds(a + " and (" + b + " or (" + c + " and " + d + "))", 1) ==
          (is(0) && (is(1) || (is(2) && is(3)))));
  }
}

TEST_CASE("a condition is said as it was written, blanks apart") {
  CHECK(parse_condition("  area>=50   and(x0<3 or\tx0 > 9 )").text == "area >= 50 and (x0 < 3 or x0 > 9)");
  CHECK(parse_condition("area>=50").measures().count() == 1);
  CHECK(Condition().holds(MeasureValues()));
}

TEST_CASE("an error of a condition names its place") {
  CHECK(refused("aera >= 50") == "'aera' at character 1 is not a measure; did you mean area?");
  CHECK(refused("area >= 50 and Area < 3") == "'Area' at character 16 is not a measure; did you mean area?");
  CHECK(refused("volume >= 50") ==
        "'volume' at character 1 is not a measure; did you mean area (area_physical in the unit of the "
        "spacing)?");
  CHECK(refused("mean_intensity > 1").ends_with("did you mean intensity_mean?"));
  CHECK(refused("centroid > 1").ends_with("did you mean cx, cy, cz?"));
  CHECK(refused("50 <= area").starts_with("'50' at character 1 is not a measure; "));
  CHECK(refused("50 <= area") == "'50' at character 1 is not a measure; begin with the measure: area >= 50");
  CHECK(refused("20 < area < 100") ==
        "'20' at character 1 is not a measure; begin with the measure: area > 20 and area < 100");
  CHECK(refused("x0 < 3 and area > 20 < 100") ==
        "'<' at character 22 compares again; write area > 20 and area < 100");
  CHECK(refused("area => 50") == "'>' at character 7 is not a number; write >= instead of =>");
  CHECK(refused("area > 5um") ==
        "'5um' at character 8 has a unit; use area_physical, which is in the unit of the "
        "spacing: area_physical > 5");
  CHECK(refused("area > 5 um2") ==
        "'um2' at character 10 has a unit; use area_physical, which is in the unit of the "
        "spacing: area_physical > 5");
  CHECK(refused("area_physical > 5um") ==
        "'5um' at character 17 has a unit; write the number alone: area_physical > 5");
  for (const char* text : {"not area > 5", "NOT area > 5", "!(area > 5)"})
    CHECK(refused(text).ends_with(
        "is not supported; write the opposite comparison, such as area <= 5 for not area > 5"));
  for (const char* text : {"area * 2 > 5", "area/perimeter > 3", "area > 5 * 2"})
    CHECK(refused(text).ends_with("is not supported; compare one measure with one number"));
  CHECK(refused("area > perimeter") == "'perimeter' at character 8 is a measure; compare with a number");
  CHECK(refused("area ! 50") == "'!' at character 6 is not one of < <= > >= == !=");
  CHECK(refused("area >= fifty") == "'fifty' at character 9 is not a number");
  CHECK(refused("area >= nan") == "'nan' at character 9 is not a number");
  CHECK(refused("area >= 5 x0 < 3") ==
        "'x0' at character 11 is unexpected here; join comparisons with 'and' or 'or'");
  CHECK(refused("area >= 5)") == "')' at character 10 has no opening parenthesis");
  CHECK(refused("(area >= 5") == "the end at character 11 is unexpected here; close the parenthesis");
  CHECK(refused("cy_physical < 3") == "'cy_physical' at character 1 cannot be compared; use cy, in pixels");
  CHECK(refused("").starts_with("the end at character 1 is not a measure"));
  CHECK(refused("area >= 5 and").starts_with("the end at character 14 is not a measure"));
  CHECK(refused("area").starts_with("the end at character 5 is not one of"));
  CHECK(refused("area >= 1; x0").starts_with("';' at character 10"));
  CHECK(refused(std::string(1000, '(') + "area > 1").ends_with("opens too many parentheses"));
  CHECK(refused(std::string(30, '(') + "area > 1" + std::string(30, ')')) == "taken");
}

}  // namespace
}  // namespace gpuccl::app
