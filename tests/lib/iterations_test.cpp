// Iterative algorithms report how often they went over the image, and not more often than their papers say.

#include <deque>

#include "common/shape.hpp"
#include "gpuccl/algorithms.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

int launches(const PhaseTimes& times, const std::string& phase) {
  for (const PhaseTime& time : times)
    if (time.phase == phase) return time.launches;
  return 0;
}

Labeling labeled_by(const std::string& algorithm, Connectivity connectivity, BitView image) {
  const auto labeler = find_variant(*find_algorithm(algorithm, DeviceKind::cpu), connectivity)->make(0);
  Labeling result = labeler->label(image);
  expect_same(result, flood_fill(image, connectivity));
  return result;
}

/// Steps from a component's first pixel to its farthest, of the component in which they are most.
template <Connectivity connectivity>
int longest_way(BitView image) {
  const int width = image.extent.width;
  std::vector<int> steps(static_cast<std::size_t>(image.extent.elements()), -1);
  const auto at = [&](int x, int y) -> int& { return steps[static_cast<std::size_t>(y * width + x)]; };
  int longest = 0;
  for (int start = 0; start < static_cast<int>(steps.size()); ++start) {
    if (!image(start % width, start / width) || at(start % width, start / width) >= 0) continue;
    at(start % width, start / width) = 0;
    std::deque<int> next = {start};
    for (; !next.empty(); next.pop_front()) {
      const int x = next.front() % width, y = next.front() / width;
      longest = std::max(longest, at(x, y));
      for_each_neighbor<connectivity>([&](int dx, int dy, int) {
        if (!image.extent.contains(x + dx, y + dy) || !image(x + dx, y + dy) || at(x + dx, y + dy) >= 0)
          return;
        at(x + dx, y + dy) = at(x, y) + 1;
        next.push_back((y + dy) * width + x + dx);
      });
    }
  }
  return longest;
}

template <Connectivity connectivity>
void expect_one_iteration_a_step(BitView image) {
  const Labeling labeled = labeled_by("ep", connectivity, image);
  CHECK(launches(labeled.phases, "Init") == 1);
  CHECK(launches(labeled.phases, "Propagate") == longest_way<connectivity>(image) + 1);
}

}  // namespace

TEST_CASE("ep propagates one pixel an iteration and needs one more to stop") {
  for (const char* kind : {"spiral", "comb", "hilbert", "checkerboard"}) {
    INFO(kind);
    const BitVolume image = generated(kind, {33, 32});
    expect_one_iteration_a_step<Connectivity::c4>(image.view());
    expect_one_iteration_a_step<Connectivity::c8>(image.view());
  }
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("random, seed " << seed);
    const BitVolume image = random_image({41, 39}, 0.4 + 0.01 * seed, 1, seed);
    expect_one_iteration_a_step<Connectivity::c4>(image.view());
    expect_one_iteration_a_step<Connectivity::c8>(image.view());
  }
}

TEST_CASE("ep takes as many iterations for a square and a spiral as its paper says") {
  const auto iterations = [](BitView image) {
    return launches(labeled_by("ep", Connectivity::c8, image).phases, "Propagate");
  };
  CHECK(iterations(random_image({5, 5}, 1, 1, 1).view()) == 5);
  CHECK(iterations(drawn({"#####", "....#", "###.#", "#...#", "#####"}).view()) == 13);
}

TEST_CASE("fb follows an arm of a spiral in one scan") {
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8}) {
    for (const int side : {5, 8, 21, 64, 101}) {
      INFO(side << " pixels, " << static_cast<int>(connectivity) << "-connectivity");
      const BitVolume spiral = generated("spiral", {side, side});
      const Labeling labeled = labeled_by("fb", connectivity, spiral.view());
      const int iterations = launches(labeled.phases, "Forward");
      CHECK(iterations == launches(labeled.phases, "Backward"));
      CHECK(iterations > 1);
      CHECK(iterations <=
            side / 4 + 3);  // a round has two arms for the scan forward, two for the one backward
    }
    CHECK(launches(labeled_by("fb", connectivity, random_image({64, 64}, 1, 1, 1).view()).phases,
                   "Forward") == 2);
  }
}

TEST_CASE("iterations of the slices of a volume add up") {
  BitVolume volume({4, 1, 3});
  for (int x = 0; x < 4; ++x) volume.set(x, 0, 1);
  CHECK(launches(labeled_by("ep", Connectivity::c4, volume.view()).phases, "Propagate") == 1 + 4 + 1);
}
