#include "gpuccl/compare.hpp"

#include "support/test.hpp"

using namespace gpuccl;

TEST_CASE("equal label images do not differ") {
  const LabelImage a = tests::label_image({3, 2, 1}, {1, 0, 2, 1, 0, 2});
  const Comparison same = compare(a, a);
  REQUIRE((same.same_extent && same.same_background && same.same_partition && same.same_numbers));
  REQUIRE(!same.differs);
}

TEST_CASE("other numbers for the same components are told from another partition") {
  const LabelImage a = tests::label_image({3, 2, 1}, {1, 0, 2, 1, 0, 2});
  const LabelImage b = tests::label_image({3, 2, 1}, {1, 0, 4000000000u, 1, 0, 4000000000u});
  const Comparison renumbered = compare(a, b);
  REQUIRE((renumbered.same_background && renumbered.same_partition && !renumbered.same_numbers));
  REQUIRE((renumbered.differs && renumbered.x == 2 && renumbered.y == 0 && renumbered.z == 0));
  REQUIRE((renumbered.a == 2 && renumbered.b == 4000000000u));
}

TEST_CASE("a component that is cut or two that are joined are another partition") {
  const LabelImage a = tests::label_image({3, 1, 2}, {5, 0, 7, 5, 5, 7});
  const LabelImage cut = tests::label_image({3, 1, 2}, {5, 0, 7, 5, 6, 7});
  const LabelImage joined = tests::label_image({3, 1, 2}, {5, 0, 5, 5, 5, 5});
  for (const Comparison& comparison : {compare(a, cut), compare(cut, a)}) {
    REQUIRE((comparison.same_background && !comparison.same_partition && !comparison.same_numbers));
    REQUIRE((comparison.x == 1 && comparison.y == 0 && comparison.z == 1));
  }
  REQUIRE(!compare(a, joined).same_partition);
  REQUIRE(compare(a, joined).x == 2);
  REQUIRE(!compare(joined, a).same_partition);
}

TEST_CASE("the first difference of the partition is given even after one of the numbers") {
  const LabelImage a = tests::label_image({4, 1, 1}, {1, 0, 2, 2});
  const LabelImage b = tests::label_image({4, 1, 1}, {3, 0, 2, 0});
  const Comparison comparison = compare(a, b);
  REQUIRE(comparison.other_foreground == 1);
  REQUIRE(compare(tests::label_image({4, 1, 1}, {0, 1, 0, 2}), a).other_foreground == 3);
  REQUIRE((!comparison.same_background && !comparison.same_partition));
  REQUIRE((comparison.x == 3 && comparison.a == 2 && comparison.b == 0));
}

TEST_CASE("the Dice coefficient is twice the intersection by the sum of foregrounds") {
  const LabelImage a = tests::label_image({4, 1, 1}, {1, 1, 2, 0});
  REQUIRE(compare(a, a).dice() == 1);
  REQUIRE(compare(a, tests::label_image({4, 1, 1}, {9, 9, 9, 0})).dice() == 1);
  REQUIRE(compare(a, tests::label_image({4, 1, 1}, {0, 3, 0, 3})).dice() == 2.0 * 1 / (3 + 2));
  REQUIRE(compare(a, tests::label_image({4, 1, 1}, {0, 0, 0, 5})).dice() == 0);
  const LabelImage none = tests::label_image({4, 1, 1}, {0, 0, 0, 0});
  REQUIRE(compare(none, none).dice() == 1);
}

TEST_CASE("labels take as much memory as they may, whether they are small or large") {
  std::vector<Label> values(20000);
  std::iota(values.begin(), values.end(), 1u);
  const LabelImage small = tests::label_image({20000, 1, 1}, values);
  for (Label& value : values) value += 1u << 30;
  const LabelImage large = tests::label_image({20000, 1, 1}, values);
  REQUIRE(compare(small, large, 6 << 20).same_partition);
  REQUIRE(compare(small, small, 1 << 20).same_numbers);
  for (const auto& [a, b] : {std::pair(&small, &large), {&large, &small}, {&large, &large}})
    REQUIRE(error_code_of([&, &a = a, &b = b] { compare(*a, *b, 1 << 20); }) == ErrorCode::memory);
}

TEST_CASE("label images of different extent are not compared") {
  const Comparison comparison =
      compare(tests::label_image({2, 1, 1}, {1, 1}), tests::label_image({1, 2, 1}, {1, 1}));
  REQUIRE((!comparison.same_extent && !comparison.same_partition && !comparison.differs));
}

TEST_CASE("a difference in the last row of a large image is found") {
  LabelImage a({1500, 2100, 1}, 1), b({1500, 2100, 1}, 1);
  std::fill_n(a.data(), a.extent().elements(), 1u);
  std::fill_n(b.data(), b.extent().elements(), 1u);
  b.data()[b.extent().elements() - 1] = 2;
  const Comparison comparison = compare(a, b);
  REQUIRE((comparison.x == 1499 && comparison.y == 2099 && !comparison.same_partition));
}
