#include "app/bench/plan.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;

TEST_CASE("a sweep has one set for each combination of its axes") {
  Request request;
  request.test = Test::density;
  request.sizes = {{64, 48, 1}, {16, 16, 16}};
  request.densities = {0, 0.5, 1};
  request.granularities = {1, 4};
  request.images = 3;
  const std::vector<ImageSet> sets = random_image_sets(request);
  REQUIRE(sets.size() == 12);
  for (const ImageSet& set : sets) CHECK(set.inputs.size() == 3);
  CHECK(sets[1].density == 0.5);
  CHECK(sets[1].granularity == 1);
  CHECK(sets[3].granularity == 4);
  CHECK(sets[6].extent == Extent{16, 16, 16});
}

TEST_CASE("the images of a set differ, and those of two sets are made from the same seeds") {
  Request request;
  request.sizes = {{64, 64, 1}};
  request.densities = {0.3, 0.6};
  request.granularities = {1};
  request.images = 2;
  const std::vector<ImageSet> sets = random_image_sets(request);
  REQUIRE(sets.size() == 2);
  const BitVolume sparse = sets[0].inputs[0].load();
  const BitVolume dense = sets[1].inputs[0].load();
  const BitVolume other = sets[0].inputs[1].load();
  int only_sparse = 0, unlike = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      only_sparse += sparse(x, y) && !dense(x, y) ? 1 : 0;
      unlike += sparse(x, y) != other(x, y) ? 1 : 0;
    }
  CHECK(only_sparse == 0);  // the same draws: what is foreground at 30 % is foreground at 60 %
  CHECK(unlike > 0);
}

TEST_CASE("without sizes the connectivity decides between images and volumes") {
  Request request;
  request.test = Test::granularity;
  CHECK(random_image_sets(request).size() == 32);
  request.connectivity = Connectivity::c8;
  CHECK(random_image_sets(request).size() == 16);
  CHECK(random_image_sets(request).front().extent == Extent{2048, 2048, 1});
  request.connectivity = Connectivity::c6;
  CHECK(random_image_sets(request).front().extent == Extent{256, 256, 256});
}

TEST_CASE("ranges are those of the papers, and work has a series by size and one by density") {
  Request request;
  request.connectivity = Connectivity::c8;
  request.test = Test::size;
  CHECK(random_image_sets(request).size() == 9 * 3);
  CHECK(random_image_sets(request).back().extent == Extent{8192, 8192, 1});
  request.test = Test::density;
  CHECK(random_image_sets(request).size() == 11 * 3);
  request.test = Test::work;
  std::vector<ImageSet> sets = random_image_sets(request);
  REQUIRE(sets.size() == 8 + 9);
  CHECK(sets[0].extent == Extent{32, 32, 1});
  CHECK(sets[7].extent == Extent{4096, 4096, 1});
  CHECK(sets[7].axis == Axis::size);
  CHECK(sets[8].axis == Axis::density);
  CHECK(sets[16].density == 0.9);
  request.densities = {0.2, 0.3};
  sets = random_image_sets(request);
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].axis == Axis::density);
  CHECK(sets[0].extent == Extent{2048, 2048, 1});
  request.densities = {0.5};
  CHECK(random_image_sets(request).size() == 8);
  request.sizes = {{64, 64, 1}, {128, 128, 1}};
  CHECK(random_image_sets(request).size() == 2);
}
