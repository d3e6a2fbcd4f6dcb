// Views that callers make themselves: whatever labels them reads and writes only what is theirs.

#include "gpuccl/detail/parts.hpp"
#include "gpuccl/gpuccl.h"
#include "gpuccl/gpuccl.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

struct OwnBuffer {
  std::vector<std::uint32_t> words;
  BitView view;
};

/// `image` with another pitch, and foreground in all words after those of a row.
OwnBuffer with_pitch(BitView image, std::int64_t pitch) {
  OwnBuffer own{std::vector<std::uint32_t>(static_cast<std::size_t>(image.extent.rows() * pitch), ~0u),
                {nullptr, image.extent, pitch}};
  own.view.words = own.words.data();
  const std::int64_t words = std::min(pitch, words_per_row(image.extent.width));
  for (std::int64_t row = 0; row < image.extent.rows(); ++row)
    std::copy_n(image.row(row), words, own.words.data() + row * pitch);
  return own;
}

/// Everything that labels, one after the other.
template <class Use>
void for_each_way(Use use) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cpu) continue;
    for (const Variant& variant : algorithm.variants) {
      INFO(algorithm.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
      const auto labeler = variant.make(0);
      use(variant.connectivity, [&](BitView image) { return labeler->label(image); });
      Engine engine({.algorithm = algorithm.name, .device = DeviceChoice::cpu}, nullptr);
      use(variant.connectivity, [&](BitView image) { return engine.label(image, variant.connectivity); });
      use(variant.connectivity, [&](BitView image) {
        return label_in_smaller_parts(image, variant.connectivity, 1,
                                      [&](BitView part) { return labeler->label(part); });
      });
    }
  }
}

const Extent kExtents[] = {{1, 3, 2}, {5, 7, 1}, {31, 2, 3}, {33, 4, 1}, {63, 3, 3}, {65, 5, 1}, {100, 4, 4}};

}  // namespace

TEST_CASE("foreground beyond the width is refused, wherever it is") {
  for (const Extent extent : kExtents) {
    std::vector<BitVolume> wrong;
    for (const int x : {extent.width, static_cast<int>(words_per_row(extent.width)) * 32 - 1})
      for (const std::int64_t row : {std::int64_t{0}, extent.rows() - 1}) {
        wrong.push_back(random_image(extent, 0.5, 1, 3));
        wrong.back().row(row)[x / 32] |= 1u << (x % 32);
      }
    for_each_way([&](Connectivity, auto label) {
      for (const BitVolume& image : wrong)
        REQUIRE(error_code_of([&] { label(image.view()); }) == ErrorCode::usage);
    });
    REQUIRE(count_foreground(wrong[0].view()) == count_foreground(random_image(extent, 0.5, 1, 3).view()));
  }
}

TEST_CASE("rows read for a slab are drawn, too") {
  const Extent extent{40, 6, 1};
  SlabWork work;
  work.read = [](const Slab&, BitVolume& out) { out.row(0)[1] = 1u << 8; };
  work.label = [](BitView) -> Labeling {
    FAIL("labeled");
    return {};
  };
  REQUIRE(error_code_of([&] {
            label_by_slabs(extent, Connectivity::c8, cut_into_slabs(extent, Connectivity::c8, 80), work);
          }) == ErrorCode::usage);
}

TEST_CASE("a pitch that is odd or shorter than a row is refused, any other will do") {
  for (const Extent extent : kExtents) {
    const BitVolume image = random_image(extent, 0.5, 1, 4);
    const std::int64_t pitch = image.row_pitch();
    const OwnBuffer shorter = with_pitch(image.view(), pitch - 2), odd = with_pitch(image.view(), pitch + 1),
                    longer = with_pitch(image.view(), pitch + 4);
    REQUIRE(count_foreground(longer.view) == count_foreground(image.view()));
    for_each_way([&](Connectivity connectivity, auto label) {
      REQUIRE(error_code_of([&] { label(shorter.view); }) == ErrorCode::usage);
      REQUIRE(error_code_of([&] { label(odd.view); }) == ErrorCode::usage);
      if (extent.elements() > 1) expect_same(label(longer.view), flood_fill(image.view(), connectivity));
    });
  }
}

TEST_CASE("an image without elements has no components, and one with an axis below 0 is refused") {
  for (const Extent extent : {Extent{0, 0, 0}, Extent{0, 0, 1}, Extent{4, 0, 1}, Extent{0, 5, 1},
                              Extent{0, 5, 3}, Extent{4, 3, 0}, Extent{70, 0, 9}}) {
    INFO(to_string(extent));
    const BitVolume image(extent);
    CHECK(count_foreground(image.view()) == 0);
    for (const Connectivity connectivity : kConnectivities)
      CHECK(cut_into_slabs(extent, connectivity, 1).empty());
    for_each_way([&](Connectivity connectivity, auto label) {
      std::vector<Labeling> both;
      try {
        both.push_back(label(image.view()));
      } catch (const Error& error) {
        REQUIRE(error.code() == ErrorCode::memory);  // there is no smaller part of it
      }
      both.push_back(label_by_slabs(extent, connectivity, {}, {}));
      for (const Labeling& labeled : both) {
        REQUIRE(labeled.labels->extent() == extent);
        REQUIRE(labeled.labels->count() == 0);
        REQUIRE(labeled.components.size() == 0);
        REQUIRE(render_all(*labeled.labels).extent() == extent);
      }
    });
  }
  for (const Extent extent : {Extent{-1, 2, 2}, Extent{2, -1, 2}, Extent{2, 2, -1}}) {
    CHECK(error_code_of([&] { BitVolume{extent}; }) == ErrorCode::usage);
    for_each_way([&](Connectivity, auto label) {
      REQUIRE(error_code_of([&] { label(BitView{nullptr, extent, 2}); }) == ErrorCode::usage);
    });
  }
}

TEST_CASE("one call labels an image, into memory of its own or the caller's") {
  for (const Extent extent : kExtents)
    for (const Connectivity connectivity : kConnectivities) {
      const BitVolume image = random_image(extent, 0.4, 1, 7);
      Engine engine({.device = DeviceChoice::cpu}, nullptr);
      const Labeling expected = engine.label(image.view(), connectivity);
      const LabelImage expected_labels = render_all(*expected.labels);
      const auto count = static_cast<std::size_t>(extent.elements());

      const LabeledImage found = label(image.view(), connectivity);
      CHECK(found.labels.count() == expected_labels.count());
      CHECK(std::equal(found.labels.data(), found.labels.data() + count, expected_labels.data()));
      CHECK(found.components == expected.components);

      std::vector<Label> labels(count + 1, ~Label{0});
      CHECK(label(image.view(), connectivity, labels.data()) == expected.components);
      CHECK(std::equal(expected_labels.data(), expected_labels.data() + count, labels.begin()));
      CHECK(labels.back() == ~Label{0});  // nothing beyond
    }
  const LabeledImage none = label(BitVolume({0, 4, 2}).view(), Connectivity::c26);
  CHECK(none.labels.count() == 0);
  CHECK(none.components.size() == 0);
}

TEST_CASE("C programs label images in their memory, of bytes and bits, with rows far apart") {
  for (const Extent extent : {Extent{1, 1, 1}, Extent{37, 5, 1}, Extent{9, 4, 5}, Extent{64, 3, 2}})
    for (const Connectivity connectivity : kConnectivities)
      for (const int bits : {1, 8})
        for (const std::int64_t more : {0, 3}) {
          INFO(to_string(extent) << ", " << static_cast<int>(connectivity) << ", " << bits << " bits, "
                                 << more);
          const BitVolume image = random_image(extent, 0.4, 1, 7);
          const std::int64_t row = bits == 1 ? (extent.width + 7) / 8 : extent.width, pitch = row + more;
          std::vector<std::uint8_t> data(static_cast<std::size_t>(pitch * extent.rows() - more));
          for (std::int64_t y = 0; y < extent.rows(); ++y)
            for (int x = 0; x < extent.width; ++x)
              if (image.row(y)[x / 32] >> (x % 32) & 1u)
                data[static_cast<std::size_t>(y * pitch + (bits == 1 ? x / 8 : x))] |=
                    static_cast<std::uint8_t>(bits == 1 ? 1 << (x % 8) : 1 + x);
          const gpuccl_image own{
              data.data(), bits, {extent.width, extent.height, extent.depth}, more == 0 ? 0 : pitch};
          const Labeling expected = flood_fill(image.view(), connectivity);
          LabelImage labels(extent, 0);
          unsigned long long count = 0;
          std::vector<gpuccl_component> components(expected.components.size() + 1);
          components.back().area = 77;
          const int c = static_cast<int>(connectivity);
          REQUIRE(gpuccl_label(&own, c, labels.data(), &count, components.data(), components.size()) ==
                  GPUCCL_SUCCESS);
          CHECK(count == expected.components.size());
          CHECK(components.back().area == 77);
          labels.set_count(static_cast<Label>(count));
          Labeling found;
          found.labels = std::make_unique<LabelImage>(std::move(labels));
          found.components = expected.components;
          for (std::size_t i = 0; i < count; ++i) {
            const Component one = expected.components[i];
            CHECK(components[i].area == one.area);
            for (std::size_t axis = 0; axis < 3; ++axis) {
              CHECK(components[i].sum[axis] == static_cast<unsigned long long>(one.sum[axis]));
              CHECK(components[i].min[axis] == one.box.min[axis]);
              CHECK(components[i].max[axis] == one.box.max[axis]);
            }
          }
          expect_same(found, expected);
          CHECK(gpuccl_label(&own, c, nullptr, nullptr, nullptr, 9) == GPUCCL_SUCCESS);
        }
}

TEST_CASE("C programs get a status and a message for images that cannot be labeled") {
  const std::uint8_t pixel = 1;
  unsigned long long count = 5;
  const auto status = [&](const gpuccl_image& image, int connectivity) {
    return gpuccl_label(&image, connectivity, nullptr, &count, nullptr, 0);
  };
  CHECK(status({nullptr, 8, {0, 0, 1}, 0}, 8) == GPUCCL_SUCCESS);
  CHECK(count == 0);
  CHECK(status({&pixel, 8, {1, 1, 1}, 0}, 5) == GPUCCL_USAGE);
  CHECK(std::string(gpuccl_last_error()).find("connectivity") != std::string::npos);
  CHECK(status({&pixel, 16, {1, 1, 1}, 0}, 8) == GPUCCL_USAGE);
  CHECK(status({nullptr, 8, {1, 1, 1}, 0}, 8) == GPUCCL_USAGE);
  CHECK(status({&pixel, 8, {-1, 1, 1}, 0}, 8) == GPUCCL_USAGE);
  CHECK(status({&pixel, 8, {2, 2, 1}, 1}, 8) == GPUCCL_USAGE);
  CHECK(status({&pixel, 8, {2, 2, 1}, -4}, 8) == GPUCCL_USAGE);
  CHECK(status({&pixel, 1, {INT32_MAX, INT32_MAX, INT32_MAX}, 0}, 8) == GPUCCL_MEMORY);
  CHECK(std::string(gpuccl_last_error()) != "");
}
