#include "io/write/digits.hpp"

#include <algorithm>
#include <array>

namespace gpuccl::io {
namespace {

// Strokes of the digits through points of a grid of 5 by 7: x and y of each point, blanks between strokes.
constexpr std::array<std::string_view, 10> kStrokes = {
    "103041453616050110",          "112026",   "01103041420646",
    "01103041423313 334445361605", "36300444", "400003334445361605",
    "413010010516364544331304",    "004016",   "103041423313020110 1304051636454433",
    "051636454130100102133342"};

struct Point {
  std::int64_t x = 0, y = 0;
};

/// Whether `p` is within `radius` of the line from `a` to `b`.
bool is_near(Point p, Point a, Point b, std::int64_t radius) {
  const Point d{b.x - a.x, b.y - a.y}, q{p.x - a.x, p.y - a.y};
  const std::int64_t along = q.x * d.x + q.y * d.y, length = d.x * d.x + d.y * d.y;
  if (along <= 0) return q.x * q.x + q.y * q.y <= radius * radius;
  if (along >= length) {
    const Point r{p.x - b.x, p.y - b.y};
    return r.x * r.x + r.y * r.y <= radius * radius;
  }
  const std::int64_t across = q.x * d.y - q.y * d.x;
  return across * across <= radius * radius * length;
}

}  // namespace

Digits::Digits(int height)
    : height_(std::max(height, kLeastHeight)),
      glyph_width_(glyph_width(height_)),
      advance_(glyph_width_ + gap(height_)) {
  // In units of an eighth of a seventh of a pixel: `height_` * 8 for a unit of the shapes, 56 for a pixel.
  const std::int64_t unit = std::int64_t{height_} * 8, radius = unit * 11 / 20;
  constexpr std::int64_t kPixel = 56, kSub = kPixel / 4;
  shares_.resize(static_cast<std::size_t>(10 * (height_ + 2 * kMargin) * (glyph_width_ + 2 * kMargin)));
  auto share = shares_.begin();
  for (const std::string_view strokes : kStrokes) {
    std::vector<std::array<Point, 2>> lines;
    const auto point = [&](std::size_t i) {
      return Point{(2 * (strokes[i] - '0') + 1) * unit / 2, (2 * (strokes[i + 1] - '0') + 1) * unit / 2};
    };
    for (std::size_t i = 0; i + 3 < strokes.size();) {
      if (strokes[i + 2] == ' ') {
        i += 3;
        continue;
      }
      lines.push_back({point(i), point(i + 2)});
      i += 2;
    }
    for (int y = -kMargin; y < height_ + kMargin; ++y)
      for (int x = -kMargin; x < glyph_width_ + kMargin; ++x, ++share)
        for (int sub = 0; sub < kFull; ++sub) {
          const Point p{x * kPixel + sub % 4 * kSub + kSub / 2, y * kPixel + sub / 4 * kSub + kSub / 2};
          const auto within = [&](std::int64_t reach) {
            return std::any_of(lines.begin(), lines.end(),
                               [&](const auto& line) { return is_near(p, line[0], line[1], reach); });
          };
          if (!within(radius + kPixel * 3 / 2)) continue;
          ++share->halo;
          if (within(radius)) ++share->ink;
        }
  }
}

}  // namespace gpuccl::io
