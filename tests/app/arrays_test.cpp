#include "support/arrays.hpp"

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

// Literal arrays of other projects' tests, with the counts and labels that those expect.
namespace gpuccl {
namespace {

/// An array of labels as labels_in() writes them.
std::string text_of(const Json& labels) {
  std::string text;
  for (const Json& slice : labels)
    for (const Json& row : slice) {
      if (!text.empty()) text += &row == &slice[0] ? "|" : "/";
      for (const Json& label : row) text += (&label == &row[0] ? "" : " ") + label.dump();
    }
  return text;
}

void check_components(const Json& expected, const Json& found) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i]["area"] == expected[i]["area"]);
    CHECK(found[i]["bbox"] == expected[i]["bbox"]);
    for (std::size_t axis = 0; axis < expected[i]["centroid"].size(); ++axis)
      CHECK(found[i]["centroid"][axis].get<double>() == Approx(expected[i]["centroid"][axis].get<double>()));
  }
}

void check_array(const Json& array, const std::string& input, const std::string& output) {
  for (const auto& [connectivity, count] : array["expected"].items()) {
    CAPTURE(connectivity, input);
    const Json report =
        report_of({input, "-c", connectivity, "--label-type", "u32", "-o", output, "--quiet"});
    CHECK(report["labeling"]["components"] == count);
    if (array.contains("labels") && array["labels"].contains(connectivity))
      CHECK(labels_in(output) == text_of(array["labels"][connectivity]));
    if (array.value("components_connectivity", "") == connectivity)
      check_components(array["components"], report["components"]);
  }
}

TEST_CASE("the arrays of other projects' tests give the components that those expect") {
  const std::vector<Json> arrays = tests::published_arrays();
  const ScratchFolder scratch;
  for (const Json& array : arrays) {
    const std::string name = array["name"];
    CAPTURE(name);
    const BitVolume image = tests::image_of(array);
    CHECK(count_foreground(image.view()) == array["foreground"]);
    check_array(array, save(scratch / "in.tif", image.view()), scratch / "out.tif");
    if (image.extent().depth == 1)
      check_array(array, save(scratch / "in.png", image.view()), scratch / "out.tif");
    for (const Json& failure : array.value("must_fail", Json::array())) {
      Words words = {"label", scratch / "in.tif", "-o", scratch / "refused.tif"};
      for (const std::string word : failure["args"]) words.push_back(word);
      fails(words, failure["exit"], "refused.tif: ");
    }
  }
  CHECK((arrays.empty() || arrays.size() > 40));
}

}  // namespace
}  // namespace gpuccl
