#include "gpuccl/outlines.hpp"

#include "support/test.hpp"

using namespace gpuccl;

namespace {

using Mask = std::vector<std::vector<bool>>;  // rows

std::vector<RowRun> runs_of(const Mask& mask) {
  std::vector<RowRun> runs;
  for (int y = 0; y < static_cast<int>(mask.size()); ++y) {
    const auto& row = mask[static_cast<std::size_t>(y)];
    const int width = static_cast<int>(row.size());
    for (int x = 0; x < width; ++x) {
      if (!row[static_cast<std::size_t>(x)]) continue;
      if (runs.empty() || runs.back().y != y || runs.back().end != x) runs.push_back({y, x, x});
      runs.back().end = x + 1;
    }
  }
  return runs;
}

Mask random_mask(int width, int height, double density, std::mt19937& random) {
  Mask mask(static_cast<std::size_t>(height), std::vector<bool>(static_cast<std::size_t>(width)));
  std::bernoulli_distribution is_inside(density);
  for (auto& row : mask)
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = is_inside(random);
  return mask;
}

Mask mask_of(const std::vector<std::string>& rows) {
  Mask mask;
  for (const std::string& row : rows) {
    mask.emplace_back();
    for (const char pixel : row) mask.back().push_back(pixel == '#');
  }
  return mask;
}

/// Toggles all pixels to the right of the vertical edges of a ring.
void fill(const Ring& ring, Mask& mask) {
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Corner &a = ring[i], &b = ring[(i + 1) % ring.size()];
    for (int y = std::min(a.y, b.y); y < std::max(a.y, b.y); ++y)
      for (auto x = static_cast<std::size_t>(a.x); x < mask[static_cast<std::size_t>(y)].size(); ++x)
        mask[static_cast<std::size_t>(y)][x] = !mask[static_cast<std::size_t>(y)][x];
  }
}

std::int64_t twice_area(const Ring& ring) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Corner &a = ring[i], &b = ring[(i + 1) % ring.size()];
    sum += std::int64_t{a.x} * b.y - std::int64_t{b.x} * a.y;
  }
  return sum;
}

void check_ring(const Ring& ring) {
  REQUIRE(ring.size() >= 4);
  std::set<std::pair<int, int>> corners;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Corner &a = ring[i], &b = ring[(i + 1) % ring.size()], &c = ring[(i + 2) % ring.size()];
    REQUIRE((a.x == b.x) != (a.y == b.y));
    REQUIRE((a.x == b.x) == (b.y == c.y));  // no collinear corners
    REQUIRE(corners.emplace(a.x, a.y).second);
  }
}

/// Returns the number of 4-connected pieces.
std::size_t count_pieces(Mask mask) {
  std::size_t count = 0;
  std::vector<std::pair<int, int>> open;
  const int height = static_cast<int>(mask.size()), width = static_cast<int>(mask.front().size());
  const auto take = [&](int x, int y) {
    if (x < 0 || y < 0 || x >= width || y >= height ||
        !mask[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)])
      return false;
    mask[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = false;
    open.emplace_back(x, y);
    return true;
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      count += take(x, y) ? 1 : 0;
      while (!open.empty()) {
        const auto [px, py] = open.back();
        open.pop_back();
        take(px + 1, py);
        take(px - 1, py);
        take(px, py + 1);
        take(px, py - 1);
      }
    }
  return count;
}

void check_mask(const Mask& mask) {
  const std::vector<RowRun> runs = runs_of(mask);
  const std::vector<Polygon> polygons = outline(runs);
  REQUIRE(polygons.size() == count_pieces(mask));
  Mask drawn(mask.size(), std::vector<bool>(mask.front().size()));
  std::int64_t twice = 0, pixels = 0;
  for (const RowRun& run : runs) pixels += run.end - run.begin;
  for (const Polygon& polygon : polygons) {
    check_ring(polygon.outer);
    REQUIRE(twice_area(polygon.outer) > 0);
    twice += twice_area(polygon.outer);
    fill(polygon.outer, drawn);
    for (const Ring& hole : polygon.holes) {
      check_ring(hole);
      REQUIRE(twice_area(hole) < 0);
      twice += twice_area(hole);
      fill(hole, drawn);
    }
  }
  REQUIRE(twice == 2 * pixels);
  REQUIRE(drawn == mask);

  const int height = static_cast<int>(mask.size()), width = static_cast<int>(mask.front().size());
  std::vector<std::int64_t> wanted = {0};
  bool inside = false;
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height; ++y) {
      const bool here = mask[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
      if (here != inside) wanted.push_back(0);
      inside = here;
      ++wanted.back();
    }
  if (!inside) wanted.pop_back();
  REQUIRE(column_run_lengths(runs, height) == wanted);
}

}  // namespace

TEST_CASE("polygons of random objects are simple and cover exactly their pixels") {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::uniform_int_distribution<int> size(1, i % 10 == 0 ? 40 : 9);
    std::uniform_real_distribution<double> density(0.05, 1);
    const int width = size(random), height = size(random);
    const Mask mask = random_mask(width, height, density(random), random);
    CAPTURE(i, width, height);
    check_mask(mask);
  }
}

TEST_CASE("pieces and holes that touch at corners are polygons and rings of their own") {
  check_mask(mask_of({"#.", ".#"}));
  check_mask(mask_of({".##", "#.#", "###"}));
  check_mask(mask_of({"#####", "#.#.#", "##.##", "#.#.#", "#####"}));
  const std::vector<Polygon> square = outline(runs_of(mask_of({"##", "##"})));
  REQUIRE(square.size() == 1);
  CHECK(square.front().outer.size() == 4);
  CHECK(square.front().holes.empty());
  CHECK(outline({}).empty());
  CHECK(column_run_lengths({}, 5).empty());
}
