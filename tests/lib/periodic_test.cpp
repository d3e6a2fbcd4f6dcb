#include <deque>

#include "gpuccl/detail/measures.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/values.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

using namespace gpuccl;

namespace {

using Place = std::array<int, 3>;

struct Whole {
  Component component;
  std::array<Wrap, 3> wraps{};
};

/// Flood fill on the torus by the definition: labels, and components with places as the fill met them.
struct Filled {
  std::vector<Label> labels;
  std::vector<Whole> wholes;

  Filled(BitView image, Connectivity connectivity, const PeriodicAxes& periodic)
      : image_(image),
        size_{image.extent.width, image.extent.height, image.extent.depth},
        connectivity_(connectivity),
        periodic_(periodic) {
    labels.assign(static_cast<std::size_t>(image.extent.elements()), 0);
    periods_.resize(labels.size());
    for (int z = 0; z < size_[2]; ++z)
      for (int y = 0; y < size_[1]; ++y)
        for (int x = 0; x < size_[0]; ++x)
          if (image(x, y, z) && labels[index({x, y, z})] == 0) fill({x, y, z});
  }

 private:
  std::size_t index(const Place& at) const {
    return static_cast<std::size_t>((std::int64_t{at[2]} * size_[1] + at[1]) * size_[0] + at[0]);
  }

  /// Calls found(place, periods) for each neighbor, folded back into the image.
  template <class Found>
  void for_neighbors(const Place& at, Found found) const {
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int axes = (dx != 0) + (dy != 0) + (dz != 0);
          if (axes == 0 || axes > max_axes(connectivity_) || (dz != 0 && !is_3d(connectivity_))) continue;
          Place next{at[0] + dx, at[1] + dy, at[2] + dz}, periods{};
          bool inside = true;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (next[axis] >= 0 && next[axis] < size_[axis]) continue;
            inside &= periodic_[axis];
            periods[axis] = next[axis] < 0 ? -1 : 1;
            next[axis] -= periods[axis] * size_[axis];
          }
          if (inside && image_(next[0], next[1], next[2])) found(next, periods);
        }
  }

  void fill(const Place& first) {
    Whole whole;
    const auto label = static_cast<Label>(wholes.size() + 1);
    std::vector<Place> members;
    std::deque<Place> open{first};
    labels[index(first)] = label;
    while (!open.empty()) {
      const Place at = open.front();
      open.pop_front();
      members.push_back(at);
      for_neighbors(at, [&](const Place& next, const Place& periods) {
        Place sum = periods_[index(at)];
        for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += periods[axis];
        for (std::size_t axis = 0; axis < 3; ++axis)
          if (periods[axis] != 0 && whole.wraps[axis] == Wrap::none) whole.wraps[axis] = Wrap::across;
        if (labels[index(next)] == 0) {
          labels[index(next)] = label;
          periods_[index(next)] = sum;
          open.push_back(next);
          return;
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
          if (periods_[index(next)][axis] != sum[axis]) whole.wraps[axis] = Wrap::around;
      });
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int64_t least = INT64_MAX, most = INT64_MIN, all = 0;
      for (const Place& at : members) {
        const std::int64_t periods = whole.wraps[axis] == Wrap::around ? 0 : periods_[index(at)][axis];
        const std::int64_t place = at[axis] + periods * size_[axis];
        least = std::min(least, place);
        most = std::max(most, place);
        all += place;
      }
      std::int64_t shift = 0;
      while (least + shift < 0) shift += size_[axis];
      while (least + shift >= size_[axis]) shift -= size_[axis];
      whole.component.box.min[axis] = static_cast<int>(least + shift);
      whole.component.box.max[axis] = static_cast<int>(most + shift);
      whole.component.sum[axis] =
          static_cast<CoordinateSum>(all + shift * static_cast<std::int64_t>(members.size()));
    }
    whole.component.area = members.size();
    wholes.push_back(whole);
  }

  BitView image_;
  std::array<int, 3> size_;
  Connectivity connectivity_;
  PeriodicAxes periodic_;
  std::vector<Place> periods_;
};

Wrapped wrapped(BitView image, Connectivity connectivity, const PeriodicAxes& periodic,
                std::vector<Label>* labels = nullptr) {
  Engine engine({.device = DeviceChoice::cpu}, nullptr);
  const Labeling labeled = engine.label(image, connectivity);
  Wrapped all = wrap(*labeled.labels, labeled.components, connectivity, periodic);
  if (labels != nullptr) {
    const LabelImage before = render_all(*labeled.labels);
    for (std::int64_t i = 0; i < image.extent.elements(); ++i) labels->push_back(all.map[before.data()[i]]);
  }
  return all;
}

void expect_same(const Wrapped& found, std::size_t component, const Whole& whole) {
  REQUIRE(found.components.area[component] == whole.component.area);
  REQUIRE(found.wraps[component] == whole.wraps);
  REQUIRE(found.components.box[component] == whole.component.box);
  REQUIRE((found.components[component].sum == whole.component.sum));
}

void expect_as_filled(BitView image, Connectivity connectivity, const PeriodicAxes& periodic) {
  const Filled expected(image, connectivity, periodic);
  std::vector<Label> labels;
  const Wrapped all = wrapped(image, connectivity, periodic, &labels);
  REQUIRE(labels == expected.labels);
  REQUIRE(all.components.size() == expected.wholes.size());
  for (std::size_t i = 0; i < expected.wholes.size(); ++i) {
    INFO("component " << i + 1);
    expect_same(all, i, expected.wholes[i]);
  }
}

std::vector<PeriodicAxes> choices(const Extent& extent, Connectivity connectivity) {
  std::vector<PeriodicAxes> all;
  for (int bits = 0; bits < 8; ++bits) {
    const PeriodicAxes axes{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    if ((axes[0] && extent.width < 2) || (axes[1] && extent.height < 2) || (axes[2] && extent.depth < 2))
      continue;
    if (!axes[2] || is_3d(connectivity)) all.push_back(axes);
  }
  return all;
}

}  // namespace

TEST_CASE("random images are labeled as flood fill labels them on the torus") {
  std::uint32_t seed = 0;
  for (const Extent extent : {Extent{2, 2, 1}, Extent{7, 5, 1}, Extent{66, 40, 1}, Extent{1, 9, 1},
                              Extent{2, 2, 2}, Extent{5, 4, 3}, Extent{9, 1, 6}, Extent{17, 13, 11}})
    for (const double density : {0.1, 0.3, 0.5, 0.8})
      for (int round = 0; round < 4; ++round) {
        const BitVolume image = tests::random_image(extent, density, 1 + round % 3, ++seed);
        for (const Connectivity connectivity : kConnectivities)
          for (const PeriodicAxes& axes : choices(extent, connectivity)) {
            INFO(tests::to_string(extent) << " by " << static_cast<int>(connectivity) << ", seed " << seed
                                          << ", periodic " << axes[0] << axes[1] << axes[2]);
            expect_as_filled(image.view(), connectivity, axes);
          }
      }
}

TEST_CASE("sides without period that a component touches are counted, and percolation is known") {
  std::uint32_t seed = 0;
  for (const Extent extent : {Extent{7, 5, 1}, Extent{1, 9, 1}, Extent{5, 4, 3}, Extent{9, 1, 6}})
    for (const double density : {0.3, 0.6}) {
      const BitVolume image = tests::random_image(extent, density, 1, ++seed);
      for (const Connectivity connectivity : kConnectivities)
        for (const PeriodicAxes& axes : choices(extent, connectivity)) {
          INFO(tests::to_string(extent) << " by " << static_cast<int>(connectivity) << ", seed " << seed
                                        << ", periodic " << axes[0] << axes[1] << axes[2]);
          const Filled filled(image.view(), connectivity, axes);
          const Wrapped all = wrapped(image.view(), connectivity, axes);
          const MeasureTable table = empty_measures(extent, all.components,
                                                    {.wanted = measures_of(MeasureGroup::border),
                                                     .connectivity = connectivity,
                                                     .periodic = axes,
                                                     .wraps = all.wraps});
          const std::array<int, 3> size{extent.width, extent.height, extent.depth};
          for (std::size_t i = 0; i < filled.wholes.size(); ++i) {
            const MeasureValues values = table.values(all.components, i);
            int sides = 0;
            for (std::size_t axis = 0; axis < (is_3d(connectivity) ? 3 : 2); ++axis) {
              bool first = false, last = false;
              for (std::int64_t at = 0; at < extent.elements(); ++at) {
                if (filled.labels[static_cast<std::size_t>(at)] != i + 1) continue;
                const std::int64_t row = at / extent.width;
                const std::int64_t place[] = {at % extent.width, row % extent.height, row / extent.height};
                first |= place[axis] == 0;
                last |= place[axis] == size[axis] - 1;
              }
              sides += axes[axis] ? 0 : first + last;
              const auto percolates =
                  static_cast<MeasureId>(static_cast<std::size_t>(MeasureId::percolates_x) + axis);
              REQUIRE(values[percolates] ==
                      (axes[axis] ? filled.wholes[i].wraps[axis] == Wrap::around : first && last));
            }
            REQUIRE(values[MeasureId::border_sides] == sides);
          }
        }
    }
}

// Elements of one value are a binary image; labels are numbered over all values.
TEST_CASE("random images of values are labeled as flood fill labels each value on the torus") {
  std::mt19937 random(1);
  for (const Extent extent :
       {Extent{7, 5, 1}, Extent{40, 20, 1}, Extent{2, 2, 2}, Extent{5, 4, 3}, Extent{9, 8, 6}})
    for (int round = 0; round < 12; ++round) {
      tests::Values<std::uint8_t> values(extent);
      for (std::uint8_t& value : values.elements) value = static_cast<std::uint8_t>(random() % 3);
      for (const Connectivity connectivity : kConnectivities)
        for (const PeriodicAxes& axes : choices(extent, connectivity)) {
          INFO(tests::to_string(extent) << " by " << static_cast<int>(connectivity) << ", round " << round
                                        << ", periodic " << axes[0] << axes[1] << axes[2]);
          const ValueLabeling labeled = label_values(tests::image_of(values, 0), connectivity);
          const Labeling& apart = labeled.labeled;
          const Wrapped all = wrap(*apart.labels, apart.components, connectivity, axes,
                                   {labeled.values.data(), labeled.values.size()});
          const LabelImage before = render_all(*apart.labels);

          std::vector<Filled> of_value;
          for (const int value : {1, 2}) {
            BitVolume bits(extent);
            for (std::int64_t i = 0; i < extent.elements(); ++i)
              if (values.elements[static_cast<std::size_t>(i)] == value)
                bits.set(static_cast<int>(i % extent.width),
                         static_cast<int>(i / extent.width % extent.height),
                         static_cast<int>(i / extent.width / extent.height));
            of_value.emplace_back(bits.view(), connectivity, axes);
          }
          std::map<std::pair<int, Label>, Label> numbers;
          for (std::size_t i = 0; i < values.elements.size(); ++i) {
            const Label label = all.map[before.data()[i]];
            const int value = values.elements[i];
            REQUIRE((label != 0) == (value != 0));
            if (value == 0) continue;
            const Filled& expected = of_value[static_cast<std::size_t>(value) - 1];
            const auto [at, is_new] =
                numbers.try_emplace({value, expected.labels[i]}, static_cast<Label>(numbers.size() + 1));
            REQUIRE(label == at->second);
            if (is_new) expect_same(all, label - 1, expected.wholes[expected.labels[i] - 1]);
          }
          REQUIRE(all.components.size() == numbers.size());
        }
    }
}

TEST_CASE("a component that goes on at the opposite border is unwrapped") {
  const BitVolume image = tests::drawn({"##...#",  //
                                        "......",  //
                                        "..##..",  //
                                        "#....."});
  const Wrapped all = wrapped(image.view(), Connectivity::c4, {true, true, false});
  REQUIRE(all.components.size() == 2);
  CHECK(all.components.box[0] == Box{{5, 3, 0}, {7, 4, 0}});  // the corner, all in one piece
  CHECK(all.components.area[0] == 4);
  CHECK(all.components.centroid(0, 0) == (5 + 6 + 7 + 6) / 4.0);
  CHECK(all.components.centroid(0, 1) == (4 + 4 + 4 + 3) / 4.0);
  CHECK(all.wraps[0] == std::array{Wrap::across, Wrap::across, Wrap::none});
  CHECK(all.wraps[1] == std::array{Wrap::none, Wrap::none, Wrap::none});
}

// A stair that climbs one period of y each time that it goes through x comes back after some rounds.
TEST_CASE("a component may cross a border many times before it ends") {
  const BitVolume image = tests::drawn({"####....",  //
                                        "...##...",  //
                                        "....####",  //
                                        "........",  //
                                        "####....",  //
                                        "........"});
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8})
    expect_as_filled(image.view(), connectivity, {true, true, false});
}

TEST_CASE("measures that need all elements of a component in one place are refused across borders") {
  const BitVolume image = tests::random_image({9, 7, 1}, 0.4, 1, 1);
  constexpr PeriodicAxes kAxes{true, false, false};
  std::vector<Label> united;
  const Wrapped all = wrapped(image.view(), Connectivity::c8, kAxes, &united);
  LabelImage labels(image.extent(), static_cast<Label>(all.components.size()));
  std::copy(united.begin(), united.end(), labels.data());
  const auto measure_one = [&](MeasureId id) {
    MeasureRequest request;
    request.connectivity = Connectivity::c8;
    request.periodic = kAxes;
    request.wraps = all.wraps;
    request.wanted.set(static_cast<std::size_t>(id));
    measure(labels, all.components, request);
  };
  using enum MeasureId;
  for (const MeasureId id : {moments_central_2_0, perimeter, perimeter_crofton, feret_diameter_max, solidity,
                             inscribed_radius, euler_number, border_x0, wraps_y}) {
    INFO(measure_of(id).name);
    CHECK(error_code_of([&] { measure_one(id); }) == ErrorCode::usage);
  }
  for (const MeasureId id : {width, extent, border_sides, border_y0, percolates_x, wraps_x})
    CHECK_NOTHROW(measure_one(id));
}

TEST_CASE("axes that cannot be periodic are refused") {
  const auto refused = [](Extent extent, Connectivity connectivity, const PeriodicAxes& axes) {
    const BitVolume image(extent);
    return error_code_of([&] { wrapped(image.view(), connectivity, axes); });
  };
  CHECK(refused({1, 5, 1}, Connectivity::c8, {true, false, false}) == ErrorCode::usage);
  CHECK(refused({5, 1, 1}, Connectivity::c8, {false, true, false}) == ErrorCode::usage);
  CHECK(refused({5, 5, 1}, Connectivity::c26, {false, false, true}) == ErrorCode::usage);
  CHECK(refused({5, 5, 3}, Connectivity::c8, {false, false, true}) == ErrorCode::usage);
}
