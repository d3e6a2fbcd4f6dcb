#include "io/write/contact_sheet.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>

#include "io/write/digits.hpp"

namespace gpuccl::io {
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
