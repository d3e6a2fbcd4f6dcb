// Volumes labeled slab by slab: the same as at once, however they are cut.

#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

std::unique_ptr<Labeler> labeler_of(const std::string& name, Connectivity connectivity) {
  return find_variant(*find_algorithm(name, DeviceKind::cpu), connectivity)->make(0);
}

}  // namespace

TEST_CASE("volumes are cut into slabs of about equal size") {
  const auto cut = [](Extent extent, Connectivity connectivity, std::int64_t elements) {
    return cut_into_slabs(extent, connectivity, elements);
  };
  CHECK(cut({10, 10, 7}, Connectivity::c26, 700) == std::vector<Slab>{{0, 7, 0, 10}});
  CHECK(cut({10, 10, 7}, Connectivity::c26, 699) == std::vector<Slab>{{0, 3, 0, 10}, {3, 7, 0, 10}});
  CHECK(cut({10, 10, 3}, Connectivity::c6, 1) ==
        std::vector<Slab>{{0, 1, 0, 10}, {1, 2, 0, 10}, {2, 3, 0, 10}});
  CHECK(cut({10, 4, 2}, Connectivity::c8, 25) ==
        std::vector<Slab>{{0, 1, 0, 2}, {0, 1, 2, 4}, {1, 2, 0, 2}, {1, 2, 2, 4}});
  CHECK(cut({10, 3, 1}, Connectivity::c26, 10).size() == 3);
  CHECK(cut({65536, 65537, 1}, Connectivity::c8, std::int64_t{1} << 31).size() == 3);
  for (std::int64_t elements = 1; elements < 3000; elements += 7) {
    int z = 0;
    for (const Slab& slab : cut({5, 6, 97}, Connectivity::c18, elements)) {
      CHECK(slab.z0 == z);
      CHECK((slab.z1 - slab.z0) * 30 <= std::max<std::int64_t>(30, elements));
      z = slab.z1;
    }
    CHECK(z == 97);
  }
}

TEST_CASE("labels of slabs are rendered again from the start, and slabs passed over are not read") {
  const BitVolume image = random_image({30, 4, 20}, 0.4, 1, 2);
  const auto labeler = labeler_of("runs", Connectivity::c26);
  int reads = 0;
  const Labeling labeled = label_by_slabs(image.extent(), Connectivity::c26,
                                          cut_into_slabs(image.extent(), Connectivity::c26, 240),
                                          slab_work(image, *labeler, &reads));
  CHECK(reads == 10);
  const LabelImage all = render_all(*labeled.labels);
  CHECK(reads == 20);
  std::vector<Label> row(30);
  for (const int z : {0, 5, 19, 3}) {
    CHECK(labeled.labels->prepare(z * 4, 1) == (z / 2 + 1) * 8);
    labeled.labels->render(z * 4, 1, row.data(), nullptr);
    CHECK(std::equal(row.begin(), row.end(), all.data() + z * 120));
  }
  CHECK(reads == 24);
}

TEST_CASE("an input that is another the second time is an error") {
  BitVolume image = random_image({30, 4, 20}, 0.4, 1, 2);
  const auto labeler = labeler_of("runs", Connectivity::c6);
  const Labeling labeled =
      label_by_slabs(image.extent(), Connectivity::c6, cut_into_slabs(image.extent(), Connectivity::c6, 240),
                     slab_work(image, *labeler));
  image.set(3, 3, 9, !image(3, 3, 9));
  CHECK(error_code_of([&] { render_all(*labeled.labels); }) == ErrorCode::data);
}

TEST_CASE("more components than memory is given for are an error") {
  const BitVolume dots = generated("dots", {64, 64, 8});
  const auto labeler = labeler_of("runs", Connectivity::c26);
  SlabWork work = slab_work(dots, *labeler);
  const auto slabs = cut_into_slabs(dots.extent(), Connectivity::c26, 2 * 4096);
  work.max_kept = 4 * 1024 * 60 + 40000;  // 32 x 32 dots in every second slice, and borders
  CHECK(label_by_slabs(dots.extent(), Connectivity::c26, slabs, work).labels->count() == 4096);
  work.max_kept = 4 * 1024 * 60;
  CHECK(error_code_of([&] { label_by_slabs(dots.extent(), Connectivity::c26, slabs, work); }) ==
        ErrorCode::memory);
}

TEST_CASE("many random volumes cut at random") {
  std::uint32_t seed = 1;
  const auto below = [&seed](std::uint32_t count) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<int>((seed >> 8) % count);
  };
  for (int round = 0; round < 1000; ++round) {
    const Extent extent{1 + below(17), 1 + below(17), below(3) == 0 ? 1 : 1 + below(9)};
    const BitVolume image = random_image(extent, below(100) / 100.0, 1 + below(3), seed);
    const std::int64_t elements = 1 + below(static_cast<std::uint32_t>(extent.elements()));
    for (const Connectivity connectivity : kConnectivities) {
      INFO(to_string(extent) << " round " << round << ", " << static_cast<int>(connectivity)
                             << "-connectivity, slabs of " << elements);
      const auto labeler = labeler_of("runs", connectivity);
      expect_same(label_by_slabs(extent, connectivity, cut_into_slabs(extent, connectivity, elements),
                                 slab_work(image, *labeler)),
                  flood_fill(image.view(), connectivity));
    }
  }
}
