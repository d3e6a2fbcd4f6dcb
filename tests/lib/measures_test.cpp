#include "gpuccl/measures.hpp"

#include <bit>
#include <numbers>

#include "common/labels_in_memory.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/selection.hpp"
#include "measure/measure.hpp"
#include "support/test.hpp"

// Measures by their definitions, element by element.
using namespace gpuccl;
using namespace tests;

namespace {

using enum MeasureId;

MeasureSet everything() {
  MeasureSet all;
  for (const Measure& measure : measures())
    if (measure.group != MeasureGroup::intensity && measure.group != MeasureGroup::periodic)
      all.set(static_cast<std::size_t>(measure.id));
  return all;
}

/// The elements of one component among background.
class Object {
 public:
  Object(const LabelImage& labels, Label label) : labels_(labels), label_(label) {}

  bool operator()(int x, int y, int z) const {
    return labels_.extent().contains(x, y, z) && labels_(x, y, z) == label_;
  }
  /// Calls visit(x, y, z) for all elements and those around the image.
  template <class Visit>
  void for_each_place(Visit visit) const {
    const Extent extent = labels_.extent();
    for (int z = -1; z <= extent.depth; ++z)
      for (int y = -1; y <= extent.height; ++y)
        for (int x = -1; x <= extent.width; ++x) visit(x, y, z);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_place([&](int x, int y, int z) {
      if ((*this)(x, y, z)) visit(x, y, z);
    });
  }

 private:
  const LabelImage& labels_;
  Label label_;
};

/// Elements, less pairs, more squares, less cubes of elements that share faces; `depth` 1 or 2.
int euler_without_faces(const Object& in, int depth) {
  int number = 0;
  in.for_each([&](int x, int y, int z) {
    for (int shape = 0; shape < (depth == 2 ? 8 : 4); ++shape) {  // a bit for each axis along which it is 2
      bool all = true;
      for (int i = 0; i < 8; ++i)
        if ((i & ~shape) == 0) all = all && in(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1));
      if (all) number += std::popcount(static_cast<unsigned>(shape)) % 2 == 0 ? 1 : -1;
    }
  });
  return number;
}

/// Corners, less edges, more faces, less elements, of elements with all their faces.
int euler_with_faces(const Object& in, bool volume) {
  int number = 0;
  in.for_each_place([&](int x, int y, int z) {
    for (int cell = 0; cell < (volume ? 8 : 4); ++cell) {  // a bit for each axis along which it has an extent
      bool any = false;
      for (int i = 0; i < (volume ? 8 : 4); ++i)
        if ((i & cell) == 0) any = any || in(x - (i & 1), y - (i >> 1 & 1), z - (i >> 2 & 1));
      if (any) number += std::popcount(static_cast<unsigned>(cell)) % 2 == 0 ? 1 : -1;
    }
  });
  return number;
}

/// Corners at which two elements touch and nothing else does.
int corners_alone(const Object& in) {
  int count = 0;
  in.for_each_place([&](int x, int y, int z) {
    int around = 0;
    for (int i = 0; i < 8; ++i)
      around |= static_cast<int>(in(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1))) << i;
    for (const int pair : {0x81, 0x42, 0x24, 0x18}) count += around == pair;
  });
  return count;
}

double intercepts(const Object& in, int dx, int dy, int dz) {
  double count = 0;
  in.for_each([&](int x, int y, int z) { count += !in(x + dx, y + dy, z + dz); });
  return count;
}

/// Returns the largest squared distance between two points half an element from an element, where background
/// begins.
double feret_squared(const Object& in, const std::array<double, 3>& spacing) {
  std::vector<std::array<double, 3>> points;
  in.for_each([&](int x, int y, int z) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        std::array<int, 3> beside = {x, y, z};
        beside[axis] += side;
        if (in(beside[0], beside[1], beside[2])) continue;
        points.push_back({double(x), double(y), double(z)});
        points.back()[axis] += side * 0.5;
      }
  });
  double most = 0;
  for (const auto& a : points)
    for (const auto& b : points) {
      double squared = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double along = (a[axis] - b[axis]) * spacing[axis];
        squared += along * along;
      }
      most = std::max(most, squared);
    }
  return most;
}

void check_component(const Object& in, Connectivity connectivity, const MeasureValues& values) {
  double area = 0;
  std::array<double, 3> sum{};
  in.for_each([&](int x, int y, int z) {
    ++area;
    sum[0] += x;
    sum[1] += y;
    sum[2] += z;
  });
  const auto moment = [&](std::size_t a, std::size_t b) {
    double products = 0;
    in.for_each([&](int x, int y, int z) {
      const std::array<int, 3> at = {x, y, z};
      products += (at[a] - sum[a] / area) * (at[b] - sum[b] / area);
    });
    return Approx(products).margin(1e-6);
  };
  CHECK(values[MeasureId::area] == area);
  if (!is_3d(connectivity)) {
    CHECK(values[moments_central_0_2] == moment(0, 0));
    CHECK(values[moments_central_1_1] == moment(0, 1));
    CHECK(values[moments_central_2_0] == moment(1, 1));
    const double diagonals = intercepts(in, 1, 1, 0) + intercepts(in, -1, 1, 0);
    CHECK(values[perimeter_crofton] ==
          Approx(std::numbers::pi / 4 *
                 (intercepts(in, 1, 0, 0) + intercepts(in, 0, 1, 0) + diagonals / std::numbers::sqrt2)));
    CHECK(values[euler_number] ==
          (connectivity == Connectivity::c4 ? euler_without_faces(in, 1) : euler_with_faces(in, false)));
    CHECK(values[holes] == 1 - values[euler_number]);
    return;
  }
  CHECK(values[moments_central_0_0_2] == moment(0, 0));
  CHECK(values[moments_central_0_1_1] == moment(0, 1));
  CHECK(values[moments_central_1_0_1] == moment(0, 2));
  CHECK(values[moments_central_1_1_0] == moment(1, 2));
  CHECK(values[moments_central_2_0_0] == moment(2, 2));
  const double axes = intercepts(in, 1, 0, 0) + intercepts(in, 0, 1, 0) + intercepts(in, 0, 0, 1);
  double edges = 0, corners = 0;
  for (const int a : {-1, 1}) {
    edges += intercepts(in, 1, a, 0) + intercepts(in, 1, 0, a) + intercepts(in, 0, 1, a);
    for (const int b : {-1, 1}) corners += intercepts(in, 1, a, b);
  }
  CHECK(values[surface_crofton_3] == Approx(axes * 4 / 3));
  // The shares of the sphere are those that Lindblad published: Surface area estimation of digitized planes.
  CHECK(values[surface_crofton] ==
        Approx(8 * (0.04577789120476 * axes + 0.03698062787608 * edges / std::numbers::sqrt2 +
                    0.03519563978232 * corners / std::numbers::sqrt3)));
  CHECK(values[euler_number] ==
        (connectivity == Connectivity::c6
             ? euler_without_faces(in, 2)
             : euler_with_faces(in, true) + (connectivity == Connectivity::c18 ? corners_alone(in) : 0)));
  CHECK(values[tunnels] == 1 + values[cavities] - values[euler_number]);
  CHECK(values[tunnels] >= 0);
  constexpr double kFew = 2000;
  if (area < kFew) CHECK(values[feret_diameter_max] == std::sqrt(feret_squared(in, {1, 1, 1})));
}

Labeling background_of(Engine& engine, const LabelRows& labels, Connectivity connectivity, BitVolume& bits) {
  bits = enclosed_background(labels, complementary(connectivity));
  return engine.label(bits.view(), complementary(connectivity));
}

MeasureTable measure_all(Engine& engine, const Labeling& labeled, Connectivity connectivity) {
  BitVolume bits;
  const Labeling background = background_of(engine, *labeled.labels, connectivity, bits);
  MeasureRequest request;
  request.wanted = everything();
  request.connectivity = connectivity;
  request.background = &background;
  return measure(*labeled.labels, labeled.components, request);
}

}  // namespace

TEST_CASE("measures of random images follow their definitions") {
  Engine engine({}, nullptr);
  unsigned seed = 1;
  for (const Connectivity connectivity : kConnectivities)
    for (const Extent extent :
         {Extent{13, 11, 9}, Extent{70, 6, 5}, Extent{129, 3, 2}, Extent{1, 7, 4}, Extent{1100, 3, 2}})
      for (const double density : {0.15, 0.4, 0.7}) {
        Extent size = extent;
        if (!is_3d(connectivity)) size.depth = 1;
        const BitVolume image = random_image(size, density, 1, seed++);
        const Labeling labeled = engine.label(image.view(), connectivity);
        const MeasureTable measured = measure_all(engine, labeled, connectivity);
        const LabelImage labels = render_all(*labeled.labels);
        const Label step = std::max<Label>(1, labels.count() / 8);
        for (Label label = 1; label <= labels.count(); label += step) {
          CAPTURE(static_cast<int>(connectivity), size.width, size.height, size.depth, density, label);
          check_component(Object(labels, label), connectivity,
                          measured.values(labeled.components, label - 1));
        }
      }
}

TEST_CASE("cavities belong to the component around them, not to components in them") {
  // A ball in a shell in a shell, and a hollow in the wall of the outer one.
  BitVolume image = made_from({15, 15, 15}, [](int x, int y, int z) {
    const int far = std::max({std::abs(x - 7), std::abs(y - 7), std::abs(z - 7)});
    return far <= 1 || far == 3 || (far >= 5 && far <= 7);
  });
  image.set(1, 7, 7, false);
  Engine engine({}, nullptr);
  for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
    const Labeling labeled = engine.label(image.view(), connectivity);
    REQUIRE(labeled.components.size() == 3);
    const MeasureTable measured = measure_all(engine, labeled, connectivity);
    const double expected[] = {2, 1, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      const MeasureValues values = measured.values(labeled.components, i);
      CHECK(values[cavities] == expected[i]);
      CHECK(values[euler_number] == 1 + expected[i]);
      CHECK(values[tunnels] == 0);
    }
  }
}

TEST_CASE("cavities of a component are background without a way out") {
  Engine engine({}, nullptr);
  double all = 0;
  for (unsigned seed = 1; seed <= 300; ++seed)
    for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
      const BitVolume image = seed % 4 == 0 ? random_image({40, 9, 7}, 0.6 + seed % 3 * 0.15, 1, seed)
                                            : random_shells({40, 13, 12}, seed);
      const Labeling labeled = engine.label(image.view(), connectivity);
      const LabelImage labels = render_all(*labeled.labels);
      const MeasureTable measured = measure_all(engine, labeled, connectivity);
      const Label step = std::max<Label>(1, labels.count() / 10);
      for (Label label = 1; label <= labels.count(); label += step) {
        CAPTURE(static_cast<int>(connectivity), seed, label);
        const BitVolume others =
            made_from(image.extent(), [&](int x, int y, int z) { return labels(x, y, z) != label; });
        const Holes expected(engine.label(others.view(), complementary(connectivity)), false, UINT64_MAX);
        const MeasureValues values = measured.values(labeled.components, label - 1);
        CHECK(values[cavities] == static_cast<double>(expected.count()));
        all += values[cavities];
      }
    }
  CHECK(all > 3000);
}

TEST_CASE("Feret diameters of volumes are those of all pairs, by the spacing too, and of known shapes") {
  Engine engine({}, nullptr);
  MeasureRequest request;
  request.wanted.set(static_cast<std::size_t>(feret_diameter_max));
  request.wanted.set(static_cast<std::size_t>(feret_diameter_max_physical));
  const auto measured_of = [&](const BitVolume& image, const Labeling& labeled, std::size_t i) {
    REQUIRE(labeled.labels->extent() == image.extent());
    return measure(*labeled.labels, labeled.components, request).values(labeled.components, i);
  };
  unsigned seed = 3;
  for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26})
    for (const std::array<double, 3>& spacing : {std::array{1.0, 1.0, 5.0}, {0.3, 0.7, 0.2}, {7.0, 2.0, 2.0}})
      for (const double density : {0.1, 0.3}) {
        const BitVolume image = random_image({25, 16, 13}, density, 2, ++seed);
        request.connectivity = connectivity;
        request.spacing = spacing;
        const Labeling labeled = engine.label(image.view(), connectivity);
        const LabelImage labels = render_all(*labeled.labels);
        const Label step = std::max<Label>(1, labels.count() / 5);
        for (Label label = 1; label <= labels.count(); label += step) {
          CAPTURE(static_cast<int>(connectivity), density, label);
          const MeasureValues values = measured_of(image, labeled, label - 1);
          const Object object(labels, label);
          CHECK(values[feret_diameter_max] == std::sqrt(feret_squared(object, {1, 1, 1})));
          CHECK(values[feret_diameter_max_physical] == Approx(std::sqrt(feret_squared(object, spacing))));
        }
      }
  // A ball, whose directions all have nearly the same length, next to a box.
  const BitVolume image = made_from({150, 100, 100}, [](int x, int y, int z) {
    const int dx = x - 49, dy = y - 49, dz = z - 49;
    return dx * dx + dy * dy + dz * dz <= 45 * 45 ||
           (x >= 110 && x < 140 && y >= 10 && y < 30 && z >= 20 && z < 60);
  });
  request.spacing = {0.5, 2, 0.5};
  const Labeling labeled = engine.label(image.view(), Connectivity::c26);
  REQUIRE(labeled.components.size() == 2);
  const MeasureValues ball = measured_of(image, labeled, 0), box = measured_of(image, labeled, 1);
  CHECK(ball[feret_diameter_max] == 91);
  CHECK(ball[feret_diameter_max_physical] == 182);
  CHECK(box[feret_diameter_max] == std::sqrt(29.0 * 29 + 19 * 19 + 40 * 40));
  CHECK(box[feret_diameter_max_physical] == std::sqrt(14.5 * 14.5 + 40.0 * 40 + 19.5 * 19.5));
}

TEST_CASE("sums are exact where 64 bits do not hold them") {
  // A line as runs of a row of 2^31 - 1 elements: n^3 passes 2^64.
  const int width = 2147483647;
  BitVolume image({width, 1, 1});
  std::fill_n(image.row(0), width / 32, ~0u);
  image.row(0)[width / 32] = (1u << width % 32) - 1;
  Engine engine({}, nullptr);
  const Labeling labeled = engine.label(image.view(), Connectivity::c8);
  MeasureRequest request;
  request.wanted.set(static_cast<std::size_t>(moments_central_0_2));
  const MeasureValues values =
      measure(*labeled.labels, labeled.components, request).values(labeled.components, 0);
  const double n = width;
  CHECK(values[moments_central_0_2] == Approx(n * (n * n - 1) / 12).epsilon(1e-15));
  CHECK(values[moments_central_2_0] == 0);
  CHECK(bytes_of_sums(request, image.extent()) > bytes_of_sums(request, {1000, 1000, 1}));
}

TEST_CASE("with little memory regions are measured one by one, and rows of Feret diameters are refused") {
  for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c26}) {
    const BitVolume image = random_image({90, 300, is_3d(connectivity) ? 20 : 1}, 0.25, 2, 7);
    Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
    const Labeling labeled = engine.label(image.view(), connectivity);
    MeasureSet wanted = measures_of(MeasureGroup::shape);
    wanted.reset(
        static_cast<std::size_t>(inscribed_radius));  // takes memory for one component at a time, too
    MeasureRequest request{wanted, connectivity, {}};
    const MeasureTable expected = measure(*labeled.labels, labeled.components, request);
    request.max_bytes = 0;
    CHECK(error_code_of([&] { measure(*labeled.labels, labeled.components, request); }) == ErrorCode::memory);
    CHECK(extra_bytes(expected) > 0);
    request.max_bytes = extra_bytes(expected);
    const MeasureTable measured = measure(*labeled.labels, labeled.components, request);
    for (std::size_t i = 0; i < labeled.components.size(); ++i) {
      const MeasureValues a = measured.values(labeled.components, i),
                          b = expected.values(labeled.components, i);
      for (const MeasureId id : measured.columns())
        REQUIRE((a[id] == b[id] || (std::isnan(a[id]) && std::isnan(b[id]))));
    }
  }
}

TEST_CASE("only regions that have elements of a component add to its sums") {
  // Bundles of two rows, or of two rows of two slices, lie in two regions each.
  for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c26}) {
    const BitVolume image = random_image({90, 33, is_3d(connectivity) ? 9 : 1}, 0.1, 1, 5);
    Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
    const Labeling labeled = engine.label(image.view(), connectivity);
    const LabelImage labels = render_all(*labeled.labels);
    const SpanSource* const spans = spans_of(*labeled.labels);
    REQUIRE(spans != nullptr);
    MeasureRequest request{.wanted = everything(), .connectivity = connectivity};
    for (const MeasureId id : {cavities, tunnels}) request.wanted.reset(static_cast<std::size_t>(id));
    const measuring::MeasureContext labeling{image.extent(), labeled.components, labeled.labels.get(),
                                             request};
    MeasureSums sums(labeling);
    sums.resize(labeled.components.size());
    measuring::RowAccess rows{.extent = image.extent(), .bits = spans->bits()};
    rows.list = [&](std::int64_t first, std::int64_t count, LabelRuns& out) {
      spans->list_spans(first, count, out);
    };
    rows.slices_touch = is_3d(connectivity);
    rows.edges = true;
    for (const measuring::Region& region :
         {measuring::Region{0, image.extent().depth, 0, 7}, measuring::Region{0, image.extent().depth, 7, 22},
          measuring::Region{0, std::min(5, image.extent().depth), 22, 33}}) {
      measuring::RegionMeasurer measurer(labeling, region, false, sums);
      measurer.measure(rows);
      std::set<Label> inside, outside;
      for_each_element(image.extent(), [&](int x, int y, int z) {
        (y >= region.y0 && y < region.y1 && z < region.z1 ? inside : outside).insert(labels(x, y, z));
      });
      inside.erase(0);
      CHECK(
          static_cast<std::ptrdiff_t>(measurer.parts()) ==
          std::count_if(inside.begin(), inside.end(), [&](Label label) { return outside.contains(label); }));
    }
  }
}

TEST_CASE("images without elements have a table without rows") {
  for (const Extent extent : {Extent{0, 33, 1}, Extent{0, 4, 3}, Extent{33, 0, 1}}) {
    CAPTURE(extent.width, extent.height, extent.depth);
    const std::unique_ptr<LabelRows> labels = joined_labels(extent, {}, 0);
    for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c26}) {
      MeasureRequest request;
      request.wanted = everything();
      if (is_3d(connectivity))
        request.wanted.reset(static_cast<std::size_t>(cavities)).reset(static_cast<std::size_t>(tunnels));
      request.connectivity = connectivity;
      CHECK_NOTHROW(measure(*labels, Components(), request));
    }
  }
}

TEST_CASE("cavities need labels of the background") {
  Engine engine({}, nullptr);
  const BitVolume image = random_image({9, 9, 9}, 0.5, 1, 1);
  const Labeling labeled = engine.label(image.view(), Connectivity::c26);
  MeasureRequest request;
  request.connectivity = Connectivity::c26;
  request.wanted.set(static_cast<std::size_t>(tunnels));
  CHECK(error_code_of([&] { measure(*labeled.labels, labeled.components, request); }) == ErrorCode::usage);
}
