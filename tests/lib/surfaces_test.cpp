// Distances between surfaces, against loops over all pairs of surface elements.

#include "gpuccl/surfaces.hpp"

#include <tbb/global_control.h>

#include "gpuccl/labels.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace {

using Point = std::array<int, 3>;

/// A random label image of boxes that overwrite each other, and of single elements.
LabelImage random_labels(std::mt19937& random, Extent extent, Label count) {
  LabelImage image(extent, count);
  std::fill_n(image.data(), extent.elements(), 0);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (Label label = 1; label <= count; ++label) {
    const Point begin{below(extent.width), below(extent.height), below(extent.depth)};
    const Point size{1 + below(extent.width), 1 + below(extent.height), 1 + below(extent.depth)};
    for (int z = begin[2]; z < std::min(extent.depth, begin[2] + size[2]); ++z)
      for (int y = begin[1]; y < std::min(extent.height, begin[1] + size[1]); ++y)
        for (int x = begin[0]; x < std::min(extent.width, begin[0] + size[0]); ++x)
          if (below(8) > 0) image.data()[(std::int64_t{z} * extent.height + y) * extent.width + x] = label;
  }
  return image;
}

/// Returns the elements of an object (0: of all) with a face neighbor outside of it.
std::vector<Point> surface_of(const LabelImage& image, Label label) {
  const Extent extent = image.extent();
  const auto is_in = [&](int x, int y, int z) {
    return extent.contains(x, y, z) && (label == 0 ? image(x, y, z) != 0 : image(x, y, z) == label);
  };
  std::vector<Point> surface;
  tests::for_each_element(extent, [&](int x, int y, int z) {
    bool is_inner = is_in(x - 1, y, z) && is_in(x + 1, y, z) && is_in(x, y - 1, z) && is_in(x, y + 1, z);
    if (extent.depth > 1) is_inner = is_inner && is_in(x, y, z - 1) && is_in(x, y, z + 1);
    if (is_in(x, y, z) && !is_inner) surface.push_back({x, y, z});
  });
  return surface;
}

std::vector<double> sorted_distances(const std::vector<Point>& from, const std::vector<Point>& to,
                                     const std::array<double, 3>& spacing) {
  std::vector<double> distances;
  for (const Point& a : from) {
    double least = std::numeric_limits<double>::infinity();
    for (const Point& b : to) {
      double square = 0;
      for (std::size_t axis = 3; axis-- > 0;) {  // in this order, so that values are equal to the last bit
        const double along = spacing[axis] * (a[axis] - b[axis]);
        square += along * along;
      }
      least = std::min(least, square);
    }
    distances.push_back(std::sqrt(least));
  }
  std::sort(distances.begin(), distances.end());
  return distances;
}

void expect(const SurfaceDistances& found, const std::vector<Point>& truth,
            const std::vector<Point>& prediction, const SurfaceOptions& options) {
  if (truth.empty() || prediction.empty()) {
    CHECK((std::isnan(found.hausdorff) && std::isnan(found.hausdorff_95) && std::isnan(found.assd)));
    CHECK((truth.empty() && prediction.empty() ? std::isnan(found.surface_dice) : found.surface_dice == 0));
    return;
  }
  std::vector<double> all;
  double hausdorff_95 = 0;
  for (const auto& [from, to] : {std::pair(&truth, &prediction), std::pair(&prediction, &truth)}) {
    const std::vector<double> one = sorted_distances(*from, *to, options.spacing);
    const double place = 0.95 * static_cast<double>(one.size() - 1);
    const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, one.size() - 1);
    const double share = place - static_cast<double>(below);
    hausdorff_95 = std::max(hausdorff_95, one[below] + share * (one[above] - one[below]));
    all.insert(all.end(), one.begin(), one.end());
  }
  const auto near = std::count_if(
      all.begin(), all.end(), [&](double one) { return one <= options.tolerance.value_or(0) * (1 + 1e-6); });
  CHECK(found.hausdorff == *std::max_element(all.begin(), all.end()));
  CHECK(found.hausdorff_95 == hausdorff_95);
  CHECK(found.assd == Approx(std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size())));
  CHECK(found.surface_dice == Approx(static_cast<double>(near) / static_cast<double>(all.size())));
}

}  // namespace

TEST_CASE("distances between surfaces are those of all pairs of surface elements") {
  std::mt19937 random(1);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (int round = 0; round < 150; ++round) {
    const Extent extent{1 + below(30), 1 + below(20), round % 2 == 0 ? 1 : 1 + below(25)};
    const LabelImage truth = random_labels(random, extent, static_cast<Label>(below(4)));
    const LabelImage prediction = random_labels(random, extent, static_cast<Label>(below(4)));
    SurfaceOptions options{.tolerance = below(4) * 0.75};
    if (round % 3 > 0) options.spacing = {1 + below(3) * 0.3, 1 + below(4) * 0.25, 0.2 + below(5)};
    CAPTURE(round, extent.width, extent.height, extent.depth);
    const Surfaces surfaces(truth, prediction, options);
    expect(surfaces.of_all(), surface_of(truth, 0), surface_of(prediction, 0), options);
    std::vector<Match> pairs;
    for (std::uint32_t a = 0; a < truth.count(); ++a)
      for (std::uint32_t b = 0; b < prediction.count(); ++b) pairs.push_back({a, b, 0});
    const std::vector<SurfaceDistances> found = surfaces.of_matches(pairs);
    REQUIRE(found.size() == pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      expect(found[i], surface_of(truth, pairs[i].truth + 1), surface_of(prediction, pairs[i].prediction + 1),
             options);
      expect(surfaces.of({&pairs[i].truth, 1}, {&pairs[i].prediction, 1}),
             surface_of(truth, pairs[i].truth + 1), surface_of(prediction, pairs[i].prediction + 1), options);
    }
  }
}

TEST_CASE("distances within words and far beyond them are exact, in little memory") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const int length = 65 + static_cast<int>(random() % 80);
    const std::array<Extent, 4> extents{
        {{length, 15, 20}, {14, length, 17}, {9, 12, length}, {2 * length, length, 1}}};
    const Extent extent = extents[static_cast<std::size_t>(round % 4)];
    LabelImage truth(extent, 1), prediction(extent, 1);
    const unsigned rare = 1u << random() % 12;  // from noise to single elements
    for (std::int64_t i = 0; i < extent.elements(); ++i) {
      const std::int64_t x = i % extent.width;
      const bool is_object = x < extent.width / 3;
      truth.data()[i] = (round % 3 > 0 && is_object) != (random() % (8 * rare) == 0) ? 1 : 0;
      prediction.data()[i] = (round % 3 == 2 && is_object) != (random() % (10 * rare) == 0) ? 1 : 0;
    }
    SurfaceOptions options{.tolerance = 3};
    const std::array<std::array<double, 3>, 6> spacings{
        {{1, 1, 1}, {0.7, 1.1, 0.5}, {0.7, 1.1, 5}, {0.001, 1, 1000}, {1000, 0.001, 1}, {1, 100, 0.1}}};
    const std::size_t kind = random() % 6;
    options.spacing = spacings[kind];
    CAPTURE(round, length, rare, options.spacing[0]);
    const SurfaceDistances all = Surfaces(truth, prediction, options).of_all();
    expect(all, surface_of(truth, 0), surface_of(prediction, 0), options);
    // Else runs, or elements that are far, take more.
    if (rare < 128 || round % 3 > 0 || kind > 1 || std::isnan(all.assd)) continue;
    options.max_bytes = 2 * extent.elements();
    CHECK(Surfaces(truth, prediction, options).of_all().assd == all.assd);
    options.max_bytes = extent.elements() / 8;
    CHECK(error_code_of([&] { Surfaces(truth, prediction, options).of_all(); }) == ErrorCode::memory);
  }
}

TEST_CASE("distances of dense surfaces that are far from each other are exact") {
  std::mt19937 random(9);
  for (int round = 0; round < 24; ++round) {
    const Extent extent{19 + round, 16, round % 3 == 0 ? 1 : 13};
    LabelImage truth(extent, 1), prediction(extent, 1);
    for (std::int64_t i = 0; i < extent.elements(); ++i) {
      const std::int64_t x = i % extent.width, y = i / extent.width % extent.height;
      truth.data()[i] = x < 5 && (y < 9 || round % 2 == 0) && random() % 2 == 0 ? 1 : 0;
      prediction.data()[i] = x >= 13 && random() % (round < 12 ? 2 : 40) == 0 ? 1 : 0;
    }
    const std::array<std::array<double, 3>, 4> spacings{
        {{1, 1, 1}, {0.7, 1.1, 0.3}, {0.1, 0.7, 5}, {1000, 0.001, 1}}};
    const SurfaceOptions options{.spacing = spacings[static_cast<std::size_t>(round % 4)], .tolerance = 9};
    CAPTURE(round);
    expect(Surfaces(truth, prediction, options).of_all(), surface_of(truth, 0), surface_of(prediction, 0),
           options);
  }
}

TEST_CASE("thick slices do not slow the search for surfaces that are slices apart") {
  LabelImage truth({600, 600, 4}, 1), prediction({600, 600, 4}, 1);
  constexpr std::int64_t kSlice = 600 * 600;
  for (LabelImage* const image : {&truth, &prediction}) std::fill_n(image->data(), 4 * kSlice, 0);
  std::fill_n(truth.data(), kSlice, 1);
  std::fill_n(prediction.data() + 3 * kSlice, kSlice, 1);
  // With cubes of elements as nodes, each search visits all columns within 300 elements: hours.
  const SurfaceDistances found = Surfaces(truth, prediction, {.spacing = {1, 1, 100}}).of_all();
  CHECK(found.hausdorff == 300);
  CHECK(found.assd == 300);
}

TEST_CASE("regions are the elements nearest to each true object, with and without much memory") {
  std::mt19937 random(4);
  const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (int round = 0; round < 200; ++round) {
    const Extent extent{1 + below(14), 1 + below(14), round % 3 == 0 ? 1 : 1 + below(14)};
    const LabelImage truth = random_labels(random, extent, 1 + static_cast<Label>(below(5)));
    const LabelImage prediction = random_labels(random, extent, static_cast<Label>(below(5)));
    SurfaceOptions options{.tolerance = below(4) * 0.75};
    if (round % 2 > 0) options.spacing = {1. + below(3), 1 + below(4) * 0.25, 0.5 + below(3)};
    const std::array<double, 3> whole = options.spacing;  // ties do not depend on the unit
    for (double& along : options.spacing) along *= std::array{1., 0.7, static_cast<double>(0.1f)}[round % 3];
    CAPTURE(round, extent.width, extent.height, extent.depth);
    std::vector<std::uint32_t> objects, predicted(prediction.count());
    for (Label label = 1; label <= truth.count(); ++label)
      if (std::count(truth.data(), truth.data() + extent.elements(), label) > 0 && below(6) > 0)
        objects.push_back(label - 1);
    std::iota(predicted.begin(), predicted.end(), 0u);
    if (objects.empty()) continue;

    // The prediction, with the number of the nearest object of each element, by comparing all pairs.
    LabelImage nearest(extent, static_cast<Label>(objects.size()));
    for (std::int64_t i = 0; i < extent.elements(); ++i) {
      double least = std::numeric_limits<double>::infinity();
      nearest.data()[i] = 0;
      for (std::uint32_t k = 0; k < objects.size() && prediction.data()[i] != 0; ++k)
        for (std::int64_t j = 0; j < extent.elements(); ++j) {
          if (truth.data()[j] != objects[k] + 1) continue;
          const auto along = [&](std::int64_t step, std::int64_t count, double spacing) {
            return std::pow(spacing * static_cast<double>(i / step % count - j / step % count), 2);
          };
          const std::int64_t slice = std::int64_t{extent.width} * extent.height;
          const double square = along(slice, extent.depth, whole[2]) +
                                along(extent.width, extent.height, whole[1]) +
                                along(1, extent.width, whole[0]);
          if (square < least) nearest.data()[i] = k + 1;
          least = std::min(least, square);
        }
    }
    const auto check = [&](const Surfaces& surfaces) {
      const std::vector<Region> regions = surfaces.of_regions(objects, predicted, true);
      REQUIRE(regions.size() == objects.size());
      for (std::uint32_t k = 0; k < regions.size(); ++k) {
        const auto pixels = std::count(nearest.data(), nearest.data() + extent.elements(), k + 1);
        CHECK(regions[k].prediction_pixels == static_cast<std::uint64_t>(pixels));
        expect(regions[k].distances, surface_of(truth, objects[k] + 1),
               pixels > 0 ? surface_of(nearest, k + 1) : std::vector<Point>(), options);
      }
      CHECK(surfaces.of_regions(objects, predicted, false)[0].prediction_pixels ==
            regions[0].prediction_pixels);
    };
    check(Surfaces(truth, prediction, options));
    // The least memory that is enough: columns of few slices at a time.
    for (options.max_bytes = 1 << 10;; options.max_bytes += options.max_bytes / 8) {
      try {
        const Surfaces surfaces(truth, prediction, options);
        surfaces.of_regions(objects, predicted, true);
        check(surfaces);
        break;
      } catch (const Error& error) {
        REQUIRE(error.code() == ErrorCode::memory);
      }
    }
  }
}

TEST_CASE("distances do not depend on the number of threads, near or far") {
  const Extent extent{90, 80, 70};
  LabelImage truth(extent, 1), prediction(extent, 1);
  std::fill_n(truth.data(), extent.elements(), 0);
  std::fill_n(prediction.data(), extent.elements(), 0);
  for (std::int64_t i = 0; i < extent.elements(); ++i) {
    const auto x = static_cast<int>(i % 90), y = static_cast<int>(i / 90 % 80);
    truth.data()[i] = x < 20 && y < 70 ? 1 : 0;
    prediction.data()[i] = x >= 85 && y % 3 == 0 ? 1 : 0;
  }
  const SurfaceOptions options{.spacing = {0.7, 0.7, 2}, .tolerance = 50};
  const SurfaceDistances all = Surfaces(truth, prediction, options).of_all();
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const SurfaceDistances found = Surfaces(truth, prediction, options).of_all();
  CHECK(found.hausdorff == all.hausdorff);
  CHECK(found.hausdorff == Approx(std::hypot(0.7 * 85, 0.7)));
  CHECK(found.hausdorff_95 == all.hausdorff_95);
  CHECK(found.assd == all.assd);
  CHECK(found.surface_dice == all.surface_dice);
}

TEST_CASE("a distance equal to the tolerance counts, however it is rounded") {
  for (int steps = 1; steps < 10; ++steps)
    for (const double spacing : {0.1, 0.3, 0.7, 0.8, static_cast<double>(0.3f)}) {
      LabelImage truth({40, 1, 1}, 1), prediction({40, 1, 1}, 1);
      std::fill_n(truth.data(), 40, 0);
      std::fill_n(prediction.data(), 40, 0);
      truth.data()[3] = prediction.data()[3 + steps] = 1;
      const double decimal = std::round(spacing * 10) / 10 * steps;
      const auto dice = [&](double tolerance) {
        return Surfaces(truth, prediction, {.spacing = {spacing, 1, 1}, .tolerance = tolerance})
            .of_all()
            .surface_dice;
      };
      CHECK(dice(decimal) == 1);
      CHECK(dice(decimal * 0.999) == 0);
    }
}

TEST_CASE("distances that cannot be measured are errors") {
  const LabelImage image = [] {
    std::mt19937 random(2);
    return random_labels(random, {40, 30, 1}, 1);
  }();
  std::mt19937 random(3);
  const LabelImage other = random_labels(random, {30, 40, 1}, 1);
  CHECK(error_code_of([&] { Surfaces(image, other, {}); }) == ErrorCode::data);
  for (const double spacing : {0., 1e-160, 1e160})
    CHECK(error_code_of([&] { Surfaces(image, image, {.spacing = {1, spacing, 1}}); }) == ErrorCode::usage);
  CHECK(error_code_of([&] { Surfaces(image, image, {.tolerance = -1}); }) == ErrorCode::usage);
  CHECK(error_code_of([&] { Surfaces(image, image, {.max_bytes = 10}).of_all(); }) == ErrorCode::memory);
}

TEST_CASE("means of distances leave out undefined ones") {
  DistanceSums sums;
  sums.add({4, 3, 2, 0.5}, 1);
  sums.add({SurfaceDistances::kNone, SurfaceDistances::kNone, SurfaceDistances::kNone, 0}, 1);
  DistanceSums more;
  more.add({}, 1);
  more.add({}, SurfaceDistances::kNone);
  sums.add(more);
  CHECK(sums.pairs == 1);
  CHECK(sums.dice_pairs == 3);
  CHECK(sums.mean().hausdorff == 4);
  CHECK(sums.mean().surface_dice == 0.5);
  CHECK(std::isnan(DistanceSums().mean().assd));
}
