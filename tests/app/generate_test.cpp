#include "app/bench/generate.hpp"

#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace {

/// FNV-1a over the bits of all rows.
std::uint64_t checksum(BitView image) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::int64_t row = 0; row < image.extent.rows(); ++row)
    for (std::int64_t word = 0; word < image.row_pitch; ++word)
      for (int byte = 0; byte < 4; ++byte)
        hash = (hash ^ (image.row(row)[word] >> (8 * byte) & 0xffu)) * 1099511628211u;
  return hash;
}

double foreground(const BitVolume& image) {
  return static_cast<double>(count_foreground(image.view())) / static_cast<double>(image.extent().elements());
}

Label count(const BitVolume& image, Connectivity connectivity) {
  return tests::flood_fill(image.view(), connectivity).labels->count();
}

ErrorCode refusal(const GenerateOptions& options) {
  return error_code_of([&] { generate(options); });
}

}  // namespace

TEST_CASE("a kind is drawn by the options that it lists, and by no other") {
  using Change = void (*)(GenerateOptions&);
  const std::pair<const char*, Change> changes[] = {
      {"density", [](GenerateOptions& options) { options.density = 0.7; }},
      {"granularity", [](GenerateOptions& options) { options.granularity = 3; }},
      {"seed", [](GenerateOptions& options) { options.seed = 2; }},
      {"order", [](GenerateOptions& options) { options.order = 3; }}};
  for (const GenerateKind& kind : generate_kinds())
    for (const auto& [name, change] : changes) {
      CAPTURE(kind.name, name);
      GenerateOptions options;
      options.kind = kind.name;
      options.extent = {300, 200, 1};
      const std::uint64_t before = checksum(generate(options).view());
      change(options);
      const bool listed = std::count(kind.options.begin(), kind.options.end(), name) > 0;
      CHECK((checksum(generate(options).view()) != before) == listed);
    }
}

TEST_CASE("padding bits of all kinds are zero") {
  for (const GenerateKind& kind : generate_kinds())
    for (const Extent extent : {Extent{33, 40, 1}, Extent{97, 18, 17}}) {
      const BitVolume image = generate({.kind = kind.name, .extent = extent, .density = 1, .order = 1});
      std::int64_t inside = 0;
      for (int z = 0; z < extent.depth; ++z)
        for (int y = 0; y < extent.height; ++y)
          for (int x = 0; x < extent.width; ++x) inside += image(x, y, z);
      INFO(kind.name);
      REQUIRE(count_foreground(image.view()) == inside);
    }
}

TEST_CASE("random images have the density and granularity asked for") {
  for (const double density : {0.0, 0.1, 0.5, 0.9, 1.0})
    for (const int granularity : {1, 4, 16}) {
      const BitVolume image = tests::random_image({1024, 1024}, density, granularity, 5);
      REQUIRE(foreground(image) == Approx(density).margin(0.002 * granularity));
    }
  const BitVolume cubes = tests::random_image({30, 30, 30}, 0.5, 10, 5);
  for (int z = 0; z < 30; ++z)
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 30; ++x) REQUIRE(cubes(x, y, z) == cubes(x / 10 * 10, y / 10 * 10, z / 10 * 10));
}

TEST_CASE("a spiral is an arm one pixel wide") {
  for (const Extent extent : {Extent{40, 40}, Extent{41, 41}, Extent{64, 9}, Extent{7, 50}}) {
    const BitVolume image = tests::generated("spiral", extent);
    for (int y = 0; y + 1 < extent.height; ++y)
      for (int x = 0; x + 1 < extent.width; ++x)
        REQUIRE(!(image(x, y) && image(x + 1, y) && image(x, y + 1) && image(x + 1, y + 1)));
    REQUIRE(foreground(image) > 0.4);
  }
}

TEST_CASE("a Hilbert curve of any order is one component that visits every place") {
  for (int order = 1; order <= 6; ++order) {
    REQUIRE(count(tests::generated("hilbert", {128, 128, 1}, order), Connectivity::c4) == 1);
    const BitVolume image = tests::generated("hilbert", {128, 130, 131}, order);
    const int side = 1 << order;
    REQUIRE(count(image, Connectivity::c6) == 1);
    for (int i = 0; i < side; ++i) {
      const int x = (2 * i + 1) * 128 / (2 * side), y = (2 * i + 1) * 130 / (2 * side);
      REQUIRE(image(x, y, (2 * i + 1) * 131 / (2 * side)));
    }
  }
}

TEST_CASE("impossible images are refused") {
  REQUIRE(refusal({.kind = "cat"}) == ErrorCode::usage);
  REQUIRE(refusal({.extent = {0, 5, 1}}) == ErrorCode::usage);
  REQUIRE(refusal({.density = 1.5}) == ErrorCode::usage);
  REQUIRE(refusal({.density = std::nan("")}) == ErrorCode::usage);
  REQUIRE(refusal({.granularity = 0}) == ErrorCode::usage);
  REQUIRE(refusal({.kind = "hilbert", .extent = {128, 128, 128}, .order = 7}) == ErrorCode::usage);
  REQUIRE(refusal({.kind = "hilbert", .extent = {31, 64, 1}, .order = 4}) == ErrorCode::usage);
}
