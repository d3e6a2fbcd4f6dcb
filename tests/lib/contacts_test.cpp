#include "gpuccl/contacts.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "support/test.hpp"

using namespace gpuccl;
using tests::awkward_extents_2d, tests::awkward_extents_3d, tests::label_image;

namespace {

LabelImage random_labels(Extent extent, Label most, double background, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Label> label(1, most);
  std::bernoulli_distribution is_background(background);
  LabelImage image(extent, most);
  for (std::int64_t i = 0; i < extent.elements(); ++i)
    image.data()[i] = is_background(random) ? 0 : label(random);
  return image;
}

/// A label image of which 13 rows are available at a time.
class FewRows final : public LabelRows {
 public:
  explicit FewRows(const LabelImage& image) : image_(image) {}
  Extent extent() const override { return image_.extent(); }
  Label count() const override { return image_.count(); }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override {
    begin_ = first_row;
    return end_ = std::min(extent().rows(), first_row + std::max<std::int64_t>(rows, 13));
  }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override {
    if (first_row < begin_ || first_row + rows > end_)
      throw Error(ErrorCode::usage, "rows are not available");
    image_.render(first_row, rows, out, map);
  }

 private:
  const LabelImage& image_;
  mutable std::int64_t begin_ = 0, end_ = 0;
};

/// Every pair of neighbors, by the definition.
std::vector<Contact> counted(const LabelImage& image, Connectivity connectivity, const Label* map = nullptr,
                             const PeriodicAxes& periodic = {}) {
  const Extent extent = image.extent();
  std::map<std::pair<Label, Label>, Contact> contacts;
  const auto at = [&](int x, int y, int z) {
    const Label label = image(x, y, z);
    return map == nullptr ? label : map[label];
  };
  const int slices = is_3d(connectivity) ? 1 : 0;
  // Whether the place is in the image, after going back into it along a periodic axis.
  const auto fold = [](int& place, int size, bool is_periodic) {
    if (is_periodic) place = (place + size) % size;
    return place >= 0 && place < size;
  };
  tests::for_each_element(extent, [&](int x, int y, int z) {
    for (int dz = -slices; dz <= slices; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int axes = (dx != 0) + (dy != 0) + (dz != 0);
          int to_x = x + dx, to_y = y + dy, to_z = z + dz;
          const bool inside = fold(to_x, extent.width, periodic[0]) &&
                              fold(to_y, extent.height, periodic[1]) && fold(to_z, extent.depth, periodic[2]);
          if (axes == 0 || axes > max_axes(connectivity) || !inside) continue;
          const Label a = at(x, y, z), b = at(to_x, to_y, to_z);
          if (a == 0 || b == 0 || a >= b) continue;
          Contact& contact = contacts[{a, b}];
          contact.a = a;
          contact.b = b;
          if (axes == 1) ++contact.faces[dx != 0 ? 0u : dy != 0 ? 1u : 2u];
          if (axes == 2) ++contact.edges;
          if (axes == 3) ++contact.corners;
        }
  });
  std::vector<Contact> all;
  for (const auto& [pair, contact] : contacts) all.push_back(contact);
  return all;
}

}  // namespace

TEST_CASE("contacts of two components are counted by axis, edge and corner") {
  const LabelImage image = label_image({3, 2, 2}, {1, 1, 2,  //
                                                   0, 3, 2,
                                                   // the next slice
                                                   2, 0, 0,  //
                                                   3, 3, 3});
  const std::vector<Contact> faces = {
      {1, 2, {1, 0, 1}, 0, 0}, {1, 3, {0, 1, 0}, 0, 0}, {2, 3, {1, 1, 1}, 0, 0}};
  CHECK(find_contacts(image, Connectivity::c6) == faces);
  const std::vector<Contact> all = find_contacts(image, Connectivity::c26);
  REQUIRE(all.size() == 3);
  CHECK(all[0] == Contact{1, 2, {1, 0, 1}, 2, 0});
  // Slices apart: what is one above the other does not touch.
  const std::vector<Contact> apart = {
      {1, 2, {1, 0, 0}, 1, 0}, {1, 3, {0, 1, 0}, 1, 0}, {2, 3, {1, 1, 0}, 2, 0}};
  CHECK(find_contacts(image, Connectivity::c8) == apart);
}

TEST_CASE("contacts are those of every pair of neighbors, for all extents and connectivities") {
  std::uint32_t seed = 0;
  std::vector<Extent> extents = awkward_extents_2d();
  for (const Extent& extent : awkward_extents_3d()) extents.push_back(extent);
  extents.push_back({5, 200, 3});  // more rows than are listed at once
  for (const Extent& extent : extents)
    for (const Label most : {1u, 2u, 7u, 1000u})
      for (const double background : {0.0, 0.6}) {
        const LabelImage image = random_labels(extent, most, background, ++seed);
        for (const Connectivity connectivity : kConnectivities) {
          INFO(tests::to_string(extent) << " " << static_cast<int>(connectivity) << " seed " << seed);
          REQUIRE(find_contacts(image, connectivity) == counted(image, connectivity));
        }
      }
}

TEST_CASE("across periodic borders, contacts are those of every pair of neighbors of the torus") {
  std::uint32_t seed = 100;
  const Extent extents[] = {{2, 2, 2}, {3, 2, 4}, {5, 7, 1}, {2, 9, 1}, {9, 2, 3}, {70, 3, 6}, {6, 80, 2}};
  for (const Extent& extent : extents)
    for (int bits = 1; bits < 8; ++bits) {
      const PeriodicAxes periodic{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      for (const double background : {0.0, 0.5}) {
        const LabelImage image = random_labels(extent, 5, background, ++seed);
        const std::vector<Label> map = {0, 3, 0, 1, 1, 2};
        for (const Connectivity connectivity : kConnectivities) {
          if (periodic[2] && (extent.depth == 1 || !is_3d(connectivity))) continue;
          INFO(tests::to_string(extent) << " " << static_cast<int>(connectivity) << " axes " << bits);
          REQUIRE(find_contacts(image, connectivity, nullptr, periodic) ==
                  counted(image, connectivity, nullptr, periodic));
          REQUIRE(find_contacts(image, connectivity, map.data(), periodic) ==
                  counted(image, connectivity, map.data(), periodic));
        }
      }
    }
  const LabelImage line = label_image({3, 1, 1}, {1, 2, 3});
  CHECK(find_contacts(line, Connectivity::c8, nullptr, {true, false, false}).size() == 3);
  CHECK_THROWS_AS(find_contacts(line, Connectivity::c8, nullptr, {false, true, false}), Error);
}

TEST_CASE("contacts do not depend on threads, or on how many rows are available") {
  const tbb::global_control eight(tbb::global_control::max_allowed_parallelism, 8);
  const std::vector<Label> map = {0, 3, 0, 1, 1, 2, 0, 2, 4, 3};
  for (const Extent& extent : {Extent{300, 700, 1}, Extent{17, 150, 20}}) {
    const LabelImage image = random_labels(extent, 9, 0.2, 5);
    for (const Connectivity connectivity : kConnectivities) {
      const std::vector<Contact> expected = counted(image, connectivity, map.data());
      for (const int threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute(
            [&] { CHECK(find_contacts(image, connectivity, map.data()) == expected); });
      CHECK(find_contacts(FewRows(image), connectivity, map.data()) == expected);
    }
  }
}

TEST_CASE("no labels, no contacts") {
  CHECK(find_contacts(label_image({3, 3, 1}, std::vector<Label>(9, 0)), Connectivity::c8).empty());
  CHECK(find_contacts(label_image({3, 3, 1}, std::vector<Label>(9, 4)), Connectivity::c8).empty());
  CHECK(find_contacts(LabelImage({0, 3, 2}, 0), Connectivity::c26).empty());
}
