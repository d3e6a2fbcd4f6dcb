// Strips of one image on threads of their own, for ThreadSanitizer as well (`./dev races`).

#include <initializer_list>

#include "cpu/algorithms.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// Every second column is full: components that end in no strip.
BitVolume columns(Extent extent) {
  BitVolume image(extent);
  for (std::int64_t row = 0; row < extent.rows(); ++row)
    for (int x = 0; x < extent.width; x += 2) image.row(row)[x / 32] |= 1u << (x % 32);
  return image;
}

LabelRuns runs_of(const LabelRows& labels) {
  LabelRuns runs;
  labels.list_runs(0, labels.extent().rows(), runs, nullptr);
  return runs;
}

/// Labels `image` in so many strips and compares with what one strip makes of it.
void expect_same_in_strips(const BitVolume& image, Connectivity connectivity, std::initializer_list<int> cuts,
                           int rounds) {
  const Labeling expected = cpu::make_runs_in_strips(connectivity, 1)->label(image.view());
  const LabelRuns expected_runs = runs_of(*expected.labels);
  for (const int strips : cuts)
    for (int round = 0; round < rounds; ++round) {
      INFO(to_string(image.view().extent)
           << ", " << static_cast<int>(connectivity) << "-connectivity, " << strips << " strips");
      const Labeling labeled = cpu::make_runs_in_strips(connectivity, strips)->label(image.view());
      REQUIRE(labeled.labels->count() == expected.labels->count());
      REQUIRE(labeled.components == expected.components);
      const LabelRuns runs = runs_of(*labeled.labels);
      REQUIRE(runs.runs == expected_runs.runs);
      REQUIRE(runs.ends == expected_runs.ends);
    }
}

}  // namespace

TEST_CASE("labels and statistics of strips are those of one strip under any schedule", "[processors]") {
  // Multiples of 64 wide: what is beyond the width is not looked at, which oneTBB's threads would share.
  for (const Extent extent : {Extent{256, 150, 1}, Extent{64, 30, 40}})
    for (const int kind : {0, 1, 2, 3}) {
      INFO("image " << kind);
      const BitVolume image = kind == 0   ? columns(extent)
                              : kind == 1 ? random_image(extent, 0.3, 1, 1)
                              : kind == 2 ? random_image(extent, 0.6, 1, 2)
                                          : random_image(extent, 0.5, 4, 3);
      for (const Connectivity connectivity : kConnectivities)
        expect_same_in_strips(image, connectivity, {2, 5, 16}, 2);
    }
}

// A thread then looks at bundles of the strip before that it has not seen as part of its own strips.
TEST_CASE("strips may be thinner than the rows that touch a bundle", "[processors]") {
  std::vector<Extent> extents = {{64, 30, 8}};
  for (int height = 4; height <= 12; ++height) extents.push_back({256, height, 1});
  for (const Extent extent : extents) {
    const BitVolume image = random_image(extent, 0.55, 1, 4);
    for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26})
      expect_same_in_strips(image, connectivity, {2, 3, 4, 8, 16}, 20);
  }
}
