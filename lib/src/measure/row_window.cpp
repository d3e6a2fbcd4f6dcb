#include "measure/row_window.hpp"

#include <algorithm>
#include <utility>

namespace gpuccl::measuring {
namespace {

constexpr int kReach = 2;  // rows of the same slice that are looked at on either side

void set_bits(Word* row, int begin, int end) {
  const int first = begin / kWordBits, last = (end - 1) / kWordBits;
  const Word from_begin = ~Word{0} << begin % kWordBits;
  const Word to_end = ~Word{0} >> (kWordBits - 1 - (end - 1) % kWordBits);
  if (first == last) {
    row[first] |= from_begin & to_end;
    return;
  }
  row[first] |= from_begin;
  std::fill(row + first + 1, row + last, ~Word{0});
  row[last] |= to_end;
}

int words_of(const Extent& extent) {
  return static_cast<int>((std::int64_t{extent.width} + kWordBits - 1) / kWordBits);
}

}  // namespace

void Plane::read(const ListRuns& list_runs, const Extent& extent, int z, int y0, int y1) {
  y0_ = std::max(0, y0);
  y1_ = std::min(extent.height, y1);
  const int rows = y1_ - y0_;
  list_runs(std::int64_t{z} * extent.height + y0_, rows, runs_);
  pitch_ = static_cast<std::size_t>(words_of(extent)) + 2;
  bits_.assign(static_cast<std::size_t>(rows) * pitch_, 0);
  for (int y = y0_; y < y1_; ++y)
    for (const LabelRun& run : runs(y))
      set_bits(bits_.data() + static_cast<std::size_t>(y - y0_) * pitch_ + 1, run.begin, run.end);
}

RowWindow::RowWindow(ListRuns list_runs, Extent extent, Region region, bool slices_touch)
    : list_runs_(std::move(list_runs)),
      extent_(extent),
      region_(region),
      slices_touch_(slices_touch),
      y_(region.y0),
      z_(region.z0),
      zeros_(static_cast<std::size_t>(words_of(extent)) + 2) {
  if (slices_touch && region.z0 > 0)
    here_.read(list_runs_, extent_, region.z0 - 1, region.y0 - kReach, region.y1 + kReach);
  read_slice();
}

void RowWindow::read_slice() {
  if (slices_touch_) std::swap(before_, here_);
  here_.read(list_runs_, extent_, z_, region_.y0 - kReach, region_.y1 + kReach);
}

bool RowWindow::next(LabeledRow& row) {
  if (y_ == region_.y1) {
    if (z_ + 1 == region_.z1) return false;
    ++z_;
    y_ = region_.y0;
    read_slice();
  }
  row.y = y_;
  row.z = z_;
  row.words = words_of(extent_);
  const auto fill = [&](const Plane& plane, auto& bits, auto& runs, int first) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const int y = first + static_cast<int>(i);
      bits[i] = plane.holds(y) ? plane.bits(y) : zeros_.data() + 1;
      runs[i] = plane.runs(y);
    }
  };
  fill(here_, row.here, row.runs_here, y_ - 2);
  fill(before_, row.before, row.runs_before, y_ - 1);
  ++y_;
  return true;
}

}  // namespace gpuccl::measuring
