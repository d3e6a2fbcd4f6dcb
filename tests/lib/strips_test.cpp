// Strips of one image on threads of their own, for ThreadSanitizer as well (`./dev races`).

#include "cpu/runs/runs.hpp"
#include "support/catch.hpp"
#include "support/images.hpp"

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

LabelRuns runs_of(const LabelSource& labels) {
  LabelRuns runs;
  labels.list_runs(0, labels.extent().rows(), runs, nullptr);
  return runs;
}

}  // namespace

TEST_CASE("labels and statistics are those of one strip, whatever the threads of the others do",
          "[processors]") {
  constexpr int kRounds = 2;
  // Multiples of 64 wide: what is beyond the width is not looked at, which oneTBB's threads would share.
  for (const Extent extent : {Extent{256, 150, 1}, Extent{64, 30, 40}})
    for (const int kind : {0, 1, 2, 3}) {
      const BitVolume image = kind == 0   ? columns(extent)
                              : kind == 1 ? random_image(extent, 0.3, 1, 1)
                              : kind == 2 ? random_image(extent, 0.6, 1, 2)
                                          : random_image(extent, 0.5, 4, 3);
      for (const Connectivity connectivity : kConnectivities) {
        const Labeled expected = cpu::make_runs_in_strips(connectivity, 1)->label(image.view());
        const LabelRuns expected_runs = runs_of(*expected.labels);
        for (const int strips : {2, 5, 16})
          for (int round = 0; round < kRounds; ++round) {
            INFO(to_string(extent) << ", image " << kind << ", " << static_cast<int>(connectivity)
                                   << "-connectivity, " << strips << " strips");
            const Labeled labeled = cpu::make_runs_in_strips(connectivity, strips)->label(image.view());
            REQUIRE(labeled.labels->count() == expected.labels->count());
            REQUIRE(labeled.components == expected.components);
            const LabelRuns runs = runs_of(*labeled.labels);
            REQUIRE(runs.runs == expected_runs.runs);
            REQUIRE(runs.ends == expected_runs.ends);
          }
      }
    }
}
