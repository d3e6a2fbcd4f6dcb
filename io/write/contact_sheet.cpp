#include "io/write/contact_sheet.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "io/image/each_slice.hpp"

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
    : height_(std::max(height, kMinHeight)),
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

constexpr int kMaxSide = 2900;
constexpr int kMaxShown = 100;
constexpr int kTextShare = 90;  // of the longer side of a sheet is the height of its numbers

static int divide_up(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

/// The smallest factor at which `count` slices of `side` elements fit, with a line and `more` between two;
/// the largest one there is if nothing fits.
static int factor_for(int side, int count, int more) {
  const int room = (kMaxSide + 1) / count - 1 - more;
  return room > 0 ? divide_up(side, room) : INT_MAX;
}

static ContactSheet sheet_of(Extent extent, int slice_step, int columns, int text_height) {
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

static int longer_side(const ContactSheet& sheet) { return std::max(sheet.width(), sheet.height()); }

static ContactSheet best_sheet(Extent extent, int slice_step, int text_height) {
  ContactSheet best = sheet_of(extent, slice_step, 1, text_height);
  for (int columns = 2; columns <= best.shown; ++columns) {
    const ContactSheet sheet = sheet_of(extent, slice_step, columns, text_height);
    if (sheet.factor < best.factor || (sheet.factor == best.factor && longer_side(sheet) < longer_side(best)))
      best = sheet;
  }
  return best;
}

ContactSheet plan_contact_sheet(Extent extent) {
  const int slice_step = divide_up(extent.depth, kMaxShown);
  ContactSheet best = best_sheet(extent, slice_step, Digits::kMinHeight);
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

namespace {

constexpr int kMax = 64;  // samples of a row that are averaged, and pixels at a time
constexpr std::uint8_t kBorder = 128;
// Levels of white: labels are brighter. In light images, such as pages, they would hardly be seen on the
// paper.
constexpr int kWhite = 225, kWhiteOfLight = 64;

/// Calls `take(z, rows)` for the rows of every `step`-th slice, from several threads.
template <class Take>
void visit_slices(const SampleSource& source, std::int64_t memory, std::int64_t step, Take take) {
  const auto visit_group = [&](int begin, int end) {
    const std::int64_t first = (begin + step - 1) / step * step;
    if (first >= end && !source.in_order()) return;
    source.decode_group(begin, end, [&](int z, const SampleRows& rows) {
      if (z % step == 0) take(z, rows);
    });
  };
  for_each_group(source, 0, source.info().extent.depth, source.buffer_bytes(), memory, visit_group);
}

double mean(const double* values, int count) {
  double sum = 0;
  int finite = 0;
  for (int i = 0; i < count; ++i)
    if (std::isfinite(values[i])) {
      sum += values[i];
      ++finite;
    }
  return finite == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / finite;
}

/// Calls `take(x, mean)` for each `factor` samples of a row.
template <class Take>
void reduce_row(const SampleFormat& format, const std::byte* row, int width, int factor, Take take) {
  std::array<double, std::size_t{kMax} * kMax> values;
  const int count = static_cast<int>((std::int64_t{width} + factor - 1) / factor);
  const int at_once = factor <= kMax ? kMax : 1;
  for (int begin = 0; begin < count; begin += at_once) {
    const int end = std::min(begin + at_once, count);
    const std::int64_t first = std::int64_t{begin} * factor;
    const auto samples =
        static_cast<int>(std::min<std::int64_t>(width - first, std::int64_t{at_once} * factor));
    const int used = std::min(samples, kMax * at_once), skipped = (samples - used) / 2;
    to_values(format, false, row, first + skipped, used, values.data());
    for (int x = begin; x < end; ++x) {
      const int at = at_once == 1 ? 0 : (x - begin) * factor;
      take(x, mean(values.data() + at, at_once == 1 ? used : std::min(factor, used - at)));
    }
  }
}

/// Returns values of pixels all over the image, about a million at most.
std::vector<float> some_values(const SampleSource& source, std::int64_t memory, const ContactSheet& sheet) {
  constexpr int kSlices = 8, kSide = 1024;
  const std::int64_t step = std::int64_t{sheet.slice_step} * ((sheet.shown + kSlices - 1) / kSlices);
  const std::int64_t slices = (source.info().extent.depth + step - 1) / step;
  const int side = static_cast<int>(kSide / std::sqrt(static_cast<double>(slices)));
  std::vector<float> all;
  std::mutex lock;
  visit_slices(source, memory, step, [&](int z, const SampleRows& rows) {
    const Extent page = source.slice_extent(z);
    const int across = (page.width + side - 1) / side, along = (page.height + side - 1) / side;
    std::vector<float> values;
    for (int i = (along - rows.y % along) % along; i < rows.count; i += along)
      reduce_row(rows.format, rows.data + static_cast<std::size_t>(i) * rows.pitch, page.width, across,
                 [&](int, double value) { values.push_back(static_cast<float>(value)); });
    const std::lock_guard locked(lock);
    all.insert(all.end(), values.begin(), values.end());
  });
  return all;
}

}  // namespace

GrayRange gray_range(const std::vector<float>& all) {
  constexpr std::size_t kMaxValues = std::size_t{1} << 21;
  std::vector<float> values;
  for (std::size_t i = 0, step = 1 + all.size() / kMaxValues; i < all.size(); i += step)
    if (!std::isnan(all[i])) values.push_back(all[i]);
  if (values.empty()) return {};
  const auto at = [&](double share) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  GrayRange range;
  for (const double share : {0.001, 0.0}) {
    range = {at(share), at(1 - share)};
    if (range.black < range.white) return range;
  }
  return {range.black, range.black + 1};
}

void draw_gray(const SampleSource& source, std::int64_t memory, const ContactSheet& sheet, bool invert,
               std::uint8_t* pixels) {
  const std::vector<float> some = some_values(source, memory, sheet);
  GrayRange range = gray_range(some);
  if (invert) std::swap(range.black, range.white);
  const double middle = (range.black + range.white) / 2;
  const auto light = std::count_if(some.begin(), some.end(),
                                   [&](float value) { return invert ? value < middle : value > middle; });
  const double white = 2 * light > std::ssize(some) ? kWhiteOfLight : kWhite;
  const double scale = white / (range.white - range.black);
  const auto gray = [&](double value) {
    return static_cast<std::uint8_t>(
        std::isnan(value) ? 0 : std::lround(std::clamp((value - range.black) * scale, 0.0, white)));
  };
  const int factor = sheet.factor;
  const auto pixel = [&](int tile, int x, int y) {
    return pixels +
           3 * (static_cast<std::ptrdiff_t>(sheet.top(tile) + y) * sheet.width() + sheet.left(tile) + x);
  };
  // The two rows of a block may come at the same time: each has a byte of its own in the pixel.
  visit_slices(source, memory, sheet.slice_step, [&](int z, const SampleRows& rows) {
    const int tile = z / sheet.slice_step;
    const Extent page = source.slice_extent(z);
    for (int i = 0; i < rows.count; ++i) {
      const int y = rows.y + i, block = y / factor;
      const std::int64_t first = std::int64_t{block} * factor,
                         count = std::min<std::int64_t>(factor, page.height - first);
      const bool is_upper = y == first + count / 4, is_lower = y == first + 3 * count / 4;
      if (!is_upper && !is_lower) continue;
      std::uint8_t* const line = pixel(tile, 0, block);
      reduce_row(rows.format, rows.data + static_cast<std::size_t>(i) * rows.pitch, page.width, factor,
                 [&](int x, double value) {
                   const std::uint8_t level = gray(value);
                   if (is_upper) line[3 * std::ptrdiff_t{x}] = level;
                   if (is_lower) line[3 * std::ptrdiff_t{x} + 1] = level;
                 });
    }
  });
  for (int tile = 0; tile < sheet.shown; ++tile) {
    const Extent page = source.slice_extent(sheet.slice(tile));
    const int width = (page.width - 1) / factor + 1, height = (page.height - 1) / factor + 1;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::uint8_t* const at = pixel(tile, x, y);
        std::fill_n(at, 3, static_cast<std::uint8_t>((at[0] + at[1] + 1) / 2));
      }
    if (width < sheet.tile_width)
      for (int y = 0; y < std::min(height + 1, sheet.tile_height); ++y)
        std::fill_n(pixel(tile, width, y), 3, kBorder);
    if (height < sheet.tile_height)
      std::fill_n(pixel(tile, 0, height), 3 * std::min(width + 1, sheet.tile_width), kBorder);
  }
}

}  // namespace gpuccl::io
