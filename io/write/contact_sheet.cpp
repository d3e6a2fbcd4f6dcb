#include "io/write/contact_sheet.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <string>

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

namespace {

constexpr int kMaxSide = 2900;
constexpr int kMaxShown = 100;
constexpr int kTextShare = 90;  // of the longer side of a sheet is the height of its numbers

int divide_up(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

/// The smallest factor at which `count` slices of `side` elements fit, with a line and `more` between two;
/// the largest one there is if nothing fits.
int factor_for(int side, int count, int more) {
  const int room = (kMaxSide + 1) / count - 1 - more;
  return room > 0 ? divide_up(side, room) : INT_MAX;
}

ContactSheet sheet_of(Extent extent, int slice_step, int columns, int text_height) {
  ContactSheet sheet;
  sheet.slice_step = slice_step;
  sheet.shown = divide_up(extent.depth, slice_step);
  sheet.columns = columns;
  sheet.rows = divide_up(sheet.shown, columns);
  sheet.text_height = text_height;
  if (extent.depth > 1) sheet.caption_height = text_height + text_height / 2;
  sheet.factor = std::max(factor_for(extent.width, sheet.columns, 0),
                          factor_for(extent.height, sheet.rows, sheet.caption_height));
  sheet.tile_width = divide_up(extent.width, sheet.factor);
  sheet.tile_height = divide_up(extent.height, sheet.factor);
  return sheet;
}

int longer_side(const ContactSheet& sheet) { return std::max(sheet.width(), sheet.height()); }

ContactSheet best_sheet(Extent extent, int slice_step, int text_height) {
  ContactSheet best = sheet_of(extent, slice_step, 1, text_height);
  for (int columns = 2; columns <= best.shown; ++columns) {
    const ContactSheet sheet = sheet_of(extent, slice_step, columns, text_height);
    if (sheet.factor < best.factor || (sheet.factor == best.factor && longer_side(sheet) < longer_side(best)))
      best = sheet;
  }
  return best;
}

}  // namespace

ContactSheet plan_contact_sheet(Extent extent) {
  const int slice_step = divide_up(extent.depth, kMaxShown);
  ContactSheet best = best_sheet(extent, slice_step, Digits::kLeastHeight);
  const auto widest = [&](int text_height) {
    return Digits::width(text_height, std::to_string(best.slice(best.shown - 1)).size());
  };
  for (int height = longer_side(best) / kTextShare; height > best.text_height; --height) {
    if (widest(height) * 2 > best.tile_width || height * 4 > best.tile_height) continue;
    const ContactSheet sheet = best_sheet(extent, slice_step, height);
    if (sheet.factor == best.factor) return sheet;
  }
  if (best.tile_width < widest(best.text_height)) best.caption_height = 0;
  return best;
}

}  // namespace gpuccl::io
