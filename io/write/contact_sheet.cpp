#include "io/write/contact_sheet.hpp"

#include <algorithm>
#include <cstdint>

#include "io/write/digits.hpp"

namespace gpuccl::io {
namespace {

constexpr int kMaxSide = 2900;
constexpr int kMaxShown = 100;

int divide_up(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

constexpr int kCaptionHeight = kDigitHeight + 2;

/// The smallest factor at which `count` slices of `side` elements fit, with a line and `more` between two.
int factor_for(int side, int count, int more) { return divide_up(side, (kMaxSide + 1) / count - 1 - more); }

ContactSheet sheet_of(Extent extent, int slice_step, int columns) {
  ContactSheet sheet;
  sheet.slice_step = slice_step;
  sheet.shown = divide_up(extent.depth, slice_step);
  sheet.columns = columns;
  sheet.rows = divide_up(sheet.shown, columns);
  if (extent.depth > 1) sheet.caption_height = kCaptionHeight;
  sheet.factor = std::max(factor_for(extent.width, sheet.columns, 0),
                          factor_for(extent.height, sheet.rows, sheet.caption_height));
  sheet.tile_width = divide_up(extent.width, sheet.factor);
  sheet.tile_height = divide_up(extent.height, sheet.factor);
  if (sheet.tile_width < number_width(sheet.slice(sheet.shown - 1))) sheet.caption_height = 0;
  return sheet;
}

}  // namespace

ContactSheet plan_contact_sheet(Extent extent) {
  const int slice_step = divide_up(extent.depth, kMaxShown);
  ContactSheet best = sheet_of(extent, slice_step, 1);
  for (int columns = 2; columns <= best.shown; ++columns) {
    const ContactSheet sheet = sheet_of(extent, slice_step, columns);
    const auto longer_side = [](const ContactSheet& s) { return std::max(s.width(), s.height()); };
    if (sheet.factor < best.factor || (sheet.factor == best.factor && longer_side(sheet) < longer_side(best)))
      best = sheet;
  }
  return best;
}

}  // namespace gpuccl::io
