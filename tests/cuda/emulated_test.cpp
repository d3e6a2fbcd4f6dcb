// Every CUDA algorithm of the table on the emulation of CUDA, against flood fill.

#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// Labels every pattern; a third of the noise at each extent.
void expect_every_pattern(const std::vector<Extent>& extents) {
  const std::vector<CudaVariant> variants = cuda_variants();
  std::uint32_t seed = 0, noise = 0, pattern = 0;
  for (const Extent extent : extents)
    for (const NamedImage& named : every_pattern(extent)) {
      if (named.name.starts_with("random") && ++noise % 3 != 0) continue;
      if (++pattern % kOneIn != 0) continue;
      emulation::configure({.seed = ++seed, .switch_one_in = seed % 4 == 0 ? 5u : 0u});
      INFO(named.name);
      expect_all_right(variants, named.image.view());
    }
}

/// `rounds` images of up to `largest` elements an axis; every density, granularities 1 to 4.
void expect_random_images(Extent largest, int rounds, emulation::Settings settings) {
  const std::vector<CudaVariant> variants = cuda_variants();
  std::mt19937 random(settings.seed);
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)) + 1; };
  for (int round = 0; round < rounds; round += kOneIn) {
    settings.seed = static_cast<std::uint32_t>(random());
    emulation::configure(settings);
    const Extent extent{up_to(largest.width), up_to(largest.height), up_to(largest.depth)};
    const double density = static_cast<double>(random() % 100) / 99;
    const BitVolume image = random_image(extent, density, up_to(4), settings.seed);
    INFO("seed " << settings.seed << ", density " << density);
    expect_all_right(variants, image.view());
  }
}

}  // namespace

TEST_CASE("every CUDA algorithm labels every pattern at awkward 2D extents as flood fill does") {
  expect_every_pattern(awkward_extents_2d());
}

TEST_CASE("every CUDA algorithm labels every pattern at awkward 3D extents as flood fill does") {
  expect_every_pattern(awkward_extents_3d());
}

TEST_CASE("every CUDA algorithm labels random small images as flood fill does") {
  expect_random_images({20, 16, 1}, 300, {.seed = 1});
  expect_random_images({9, 8, 7}, 300, {.seed = 2});
  expect_random_images({20, 16, 1}, 100, {.seed = 3, .switch_one_in = 4});
  expect_random_images({9, 8, 7}, 100, {.seed = 4, .switch_one_in = 4});
}

TEST_CASE("thread blocks on several processors at once give the same labels", "[processors][published]") {
  expect_random_images({40, 16, 1}, 6, {.seed = 5, .host_threads = 3, .switch_one_in = 50});
  expect_random_images({16, 8, 4}, 6, {.seed = 6, .host_threads = 3, .switch_one_in = 50});
}

TEST_CASE("many random images", "[.long]") {
  expect_random_images({150, 40, 1}, 4000, {.seed = 7, .switch_one_in = 20});
  expect_random_images({30, 20, 10}, 4000, {.seed = 8, .switch_one_in = 20});
}
