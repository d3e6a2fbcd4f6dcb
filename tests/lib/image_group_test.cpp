#include "engine/gpu_labelers.hpp"
#include "gpuccl/algorithms.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

TEST_CASE("images labeled as a group have the labels and components that each has alone") {
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8})
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
      std::vector<BitVolume> images;
      for (const Extent extent : {Extent{33, 20, 1}, Extent{1, 1, 1}, Extent{64, 1, 1}, Extent{5, 70, 1},
                                  Extent{32, 32, 1}, Extent{129, 3, 1}})
        images.push_back(random_image(extent, 0.1 * seed - 0.05, 1, seed));
      images.insert(images.begin() + 2, BitVolume(Extent{40, 9, 1}));  // without components
      images.push_back(random_image({50, 4, 1}, 1, 1, seed));          // and one from edge to edge

      std::vector<BitView> views;
      for (const BitVolume& image : images) views.push_back(image.view());
      const ImageGroup group(views);
      const auto runs = runs_on_cpu(connectivity);
      const Labeling all = runs->label(group.view());
      for (std::size_t i = 0; i < images.size(); ++i) {
        INFO("image " << i << ", seed " << seed);
        expect_same(group.part(all, i), flood_fill(views[i], connectivity));
      }
    }
}

TEST_CASE("a group is of small images of one slice and stops growing") {
  CHECK(fits_group({512, 512, 1}, Connectivity::c8));
  CHECK(!fits_group({513, 512, 1}, Connectivity::c8));
  CHECK(!fits_group({0, 5, 1}, Connectivity::c8));
  CHECK(!fits_group({8, 8, 2}, Connectivity::c8));
  CHECK(!fits_group({8, 8, 1}, Connectivity::c26));
  GroupSize size;
  int images = 0;
  while (size.add({512, 512, 1})) ++images;
  CHECK(images == 7);  // 2^21 elements, empty rows included
  CHECK(!size.add({100000, 1, 1}));
  GroupSize wide;
  CHECK(wide.add({1 << 22, 1, 1}));  // the first in any case
}
