// Every CPU algorithm of the table against flood fill, numbers, components and rendered rows included.

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "cpu/algorithms.hpp"
#include "cpu/runs/numbering.hpp"
#include "gpuccl/algorithms.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// Calls visit(labeler, connectivity, name) for each CPU algorithm but flood fill itself.
template <class Visit>
void for_each_cpu_variant(Visit visit) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cpu || algorithm.name == "flood-fill") continue;
    for (const Variant& variant : algorithm.variants)
      visit(*variant.make(0), variant.connectivity, algorithm.name);
  }
}

void expect_all_patterns(Labeler& labeler, Connectivity connectivity, Extent extent) {
  for (const NamedImage& named : every_pattern(extent)) {
    INFO(named.name << " " << to_string(extent) << ", " << static_cast<int>(connectivity) << "-connectivity");
    expect_same_as_flood_fill(labeler, named.image.view(), connectivity);
  }
}

}  // namespace

TEST_CASE("every CPU algorithm labels every pattern at awkward 2D extents as flood fill does") {
  for_each_cpu_variant([](Labeler& labeler, Connectivity connectivity, const std::string& name) {
    INFO(name);
    for (const Extent extent : awkward_extents_2d()) expect_all_patterns(labeler, connectivity, extent);
  });
}

TEST_CASE("every CPU algorithm labels every pattern at awkward 3D extents as flood fill does") {
  for_each_cpu_variant([](Labeler& labeler, Connectivity connectivity, const std::string& name) {
    INFO(name);
    for (const Extent extent : awkward_extents_3d()) expect_all_patterns(labeler, connectivity, extent);
  });
}

TEST_CASE("runs gives the same labels however many strips it cuts") {
  for (const Connectivity connectivity : kConnectivities)
    for (const int strips : {1, 2, 3, 5, 8, 1000}) {
      INFO(strips << " strips");
      const auto labeler = cpu::make_runs_in_strips(connectivity, strips);
      for (const Extent extent : {Extent{70, 41, 1}, Extent{33, 9, 11}, Extent{66, 2, 7}, Extent{5, 1, 30}})
        expect_all_patterns(*labeler, connectivity, extent);
    }
}

TEST_CASE("every CPU algorithm labels every image of 4x4 and of 5x3 pixels as flood fill does") {
  std::vector<std::pair<std::unique_ptr<Labeler>, Connectivity>> labelers;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.device == DeviceKind::cpu && !algorithm.phases.empty())
      for (const Variant& variant : algorithm.variants)
        labelers.emplace_back(variant.make(0), variant.connectivity);

  for (const Extent extent : {Extent{4, 4}, Extent{5, 3}})
    for (unsigned pixels = 0; pixels < 1u << extent.elements(); ++pixels) {
      BitVolume image(extent);
      for (int y = 0; y < extent.height; ++y)
        *image.row(y) = pixels >> (y * extent.width) & ((1u << extent.width) - 1);
      const Labeling of_4 = flood_fill(image.view(), Connectivity::c4);
      const Labeling of_8 = flood_fill(image.view(), Connectivity::c8);
      for (const auto& [labeler, connectivity] : labelers) {
        const LabelImage& expected =
            dynamic_cast<const LabelImage&>(*(connectivity == Connectivity::c4 ? of_4 : of_8).labels);
        const Labeling labeled = labeler->label(image.view());
        const LabelImage& labels = dynamic_cast<const LabelImage&>(*labeled.labels);
        if (!std::equal(labels.data(), labels.data() + extent.elements(), expected.data()))
          FAIL(to_string(extent) << " pixels " << pixels);
      }
    }
}

TEST_CASE("the papers' CPU algorithms time the phases of their rows, in order") {
  const BitVolume image = random_image({50, 41}, 0.5, 1, 1);
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.device == DeviceKind::cpu && !algorithm.phases.empty())
      for (const Variant& variant : algorithm.variants) {
        CAPTURE(algorithm.name);
        std::vector<std::string> own;
        for (const PhaseTime& phase : variant.make(0)->label(image.view()).phases)
          if (phase.phase != "Unpack" && phase.phase != "Renumber") own.push_back(phase.phase);
        std::vector<std::string> expected;
        for (const Phase& phase : algorithm.phases) expected.push_back(phase.name);
        CHECK(own == expected);
      }
}

TEST_CASE("components that pass through more strips than there is room for are measured in full") {
  for (const Extent extent : {Extent{5003, 61, 1}, Extent{5003, 3, 31}}) {
    BitVolume stripes(extent);
    for (std::int64_t row = 0; row < extent.rows(); ++row)
      for (int x = 0; x < extent.width; x += 2) stripes.row(row)[x / 32] |= 1u << (x % 32);
    for (const Connectivity connectivity : kConnectivities) {
      INFO(to_string(extent) << ", " << static_cast<int>(connectivity) << "-connectivity");
      expect_same_as_flood_fill(*cpu::make_runs_in_strips(connectivity, 16), stripes.view(), connectivity);
    }
  }
}

TEST_CASE("one thread cuts no strips, however it came to be one") {
  const BitVolume image({2048, 2048});
  const cpu::Bundles bundles(image.view(), 0b0001);
  CHECK(tbb::task_arena(1).execute([&] { return cpu::cut_into_strips(bundles, 0).size(); }) == 1);
  tbb::task_arena(4).execute([&] {
    const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
    CHECK(cpu::cut_into_strips(bundles, 0).size() > 1);
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    CHECK(cpu::cut_into_strips(bundles, 0).size() == 1);
  });
}

TEST_CASE("strips of a volume are some layers thick, so that more threads do not look at more seams") {
  const BitVolume volume({512, 64, 512});
  const cpu::Bundles bundles(volume.view(), 0b1111);
  const auto layers_of = [&](int threads) {
    return tbb::task_arena(threads).execute([&] {
      const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
      return bundles.layers() / static_cast<int>(cpu::cut_into_strips(bundles, 0).size());
    });
  };
  CHECK(layers_of(4) == 16);
  CHECK(layers_of(16) == 8);
  CHECK(layers_of(32) == 8);
  CHECK(layers_of(64) == 4);  // a strip for each thread
}

TEST_CASE("slices and parts of a volume are labeled in place") {
  const BitVolume volume = random_image({65, 20, 12}, 0.4, 1, 9);
  for (const Connectivity connectivity : kConnectivities) {
    const auto labeler = cpu::make_runs_in_strips(connectivity, 0);
    expect_same_as_flood_fill(*labeler, volume.view().slices(3, 10), connectivity);
  }
}

TEST_CASE("flood fill joins elements that meet at an edge or a vertex if the connectivity says so") {
  const auto count = [](int dx, int dy, int dz, Connectivity connectivity) {
    BitVolume image({3, 3, 3});
    image.set(1, 1, 1);
    image.set(1 + dx, 1 + dy, 1 + dz);
    return flood_fill(image.view(), connectivity).labels->count();
  };
  for (const Connectivity connectivity : kConnectivities)
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int axes = dx * dx + dy * dy + dz * dz;
          if (axes == 0) continue;
          const bool touch = axes <= max_axes(connectivity) && (dz == 0 || is_3d(connectivity));
          REQUIRE(count(dx, dy, dz, connectivity) == (touch ? 1u : 2u));
        }
}
