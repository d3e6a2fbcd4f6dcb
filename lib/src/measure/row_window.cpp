#include "measure/row_window.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>

#include "common/labels_in_memory.hpp"

namespace gpuccl::measuring {
namespace {

std::size_t words_of(const Extent& extent) {
  return static_cast<std::size_t>(words_per_row(extent.width) / 2);
}

}  // namespace

void move_aside(Word* row, std::size_t words) {
  Word* const left = row + words;
  Word* const right = left + words;
  left[0] = row[0] << 1;
  for (std::size_t i = 1; i < words; ++i) left[i] = row[i] << 1 | row[i - 1] >> (kWordBits - 1);
  for (std::size_t i = 0; i + 1 < words; ++i) right[i] = row[i] >> 1 | row[i + 1] << (kWordBits - 1);
  right[words - 1] = row[words - 1] >> 1;
}

void Plane::read(const RowAccess& rows, int z, int y0, int y1) {
  y0_ = std::max(0, y0);
  y1_ = std::min(rows.extent.height, y1);
  const std::int64_t first = std::int64_t{z} * rows.extent.height + y0_;
  rows.list(first, y1_ - y0_, spans_);
  pitch_ = words_of(rows.extent);
  bits_.resize(index(y1_) * kLines * pitch_);
  for (int y = y0_; y < y1_; ++y) {
    Word* const row = bits_.data() + index(y) * kLines * pitch_;
    if (rows.bits.words != nullptr) {
      std::memcpy(row, rows.bits.row(first + (y - y0_)), pitch_ * sizeof(Word));
    } else {
      std::fill_n(row, pitch_, 0);
      for (const LabelRun& run : spans(y)) fill_span(row, run.begin, run.end);
    }
    move_aside(row, pitch_);
  }
  if (rows.bits.words == nullptr && rows.joins_runs) join_runs(spans_);
  if (rows.edges) find_edges();
}

void Plane::find_edges() {
  edges_.resize(bits_.size());
  const std::vector<Word> zeros(pitch_);
  for (int y = y0_; y < y1_; ++y) {
    const RowBits here = bits(y), none(zeros.data(), 0);
    const RowBits above = holds(y - 1) ? bits(y - 1) : none, below = holds(y + 1) ? bits(y + 1) : none;
    Word* const edge = edges_.data() + index(y) * kLines * pitch_;
    for (std::size_t i = 0; i < pitch_; ++i) {
      const int word = static_cast<int>(i);
      edge[i] = edges_of(above, here, below, word);
    }
    move_aside(edge, pitch_);
  }
}

RowWindow::RowWindow(const RowAccess& rows, const Region& region)
    : rows_(rows), region_(region), y_(region.y0), z_(region.z0), zeros_(words_of(rows.extent)) {
  if (rows.slices_touch && region.z0 > 0)
    here_.read(rows_, region.z0 - 1, region.y0 - kReach, region.y1 + kReach);
  read_slice();
}

void RowWindow::read_slice() {
  if (rows_.slices_touch) std::swap(before_, here_);
  here_.read(rows_, z_, region_.y0 - kReach, region_.y1 + kReach);
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
  const RowBits none(zeros_.data(), 0);
  const auto fill = [&](const Plane& plane, auto& bits, auto& spans, int first) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const int y = first + static_cast<int>(i);
      bits[i] = plane.holds(y) ? plane.bits(y) : none;
      spans[i] = plane.spans(y);
    }
  };
  fill(here_, row.here, row.spans_here, y_ - 2);
  fill(before_, row.before, row.spans_before, y_ - 1);
  if (rows_.edges)
    for (int dy = -1; dy <= 1; ++dy)
      row.edges[static_cast<std::size_t>(dy + 1)] = here_.holds(y_ + dy) ? here_.edges(y_ + dy) : none;
  ++y_;
  return true;
}

void LabelWindow::begin(const LabeledRow& row) {
  row_ = &row;
  next_.fill(0);
  own_.y = row.y;
  own_.z = row.z;
}

const LabeledRow& LabelWindow::around(const Segment& segment) {
  const int first = (segment.begin / kWordBits - kMargin) * kWordBits;  // column; may be negative
  pitch_ =
      static_cast<std::size_t>((segment.end - 1) / kWordBits - segment.begin / kWordBits + 1 + 2 * kMargin);
  words_.assign((kHere + kBefore + kEdges) * kLines * pitch_, 0);
  // The outermost rows are needed only for edges.
  const std::size_t outer = edges_ ? 0 : 1;
  for (std::size_t i = outer; i < kHere - outer; ++i) {
    draw(i, row_->spans_here[i], segment, first);
    own_.here[i] = bits(i);
  }
  for (std::size_t i = 0; is_volume_ && i < kBefore; ++i) {
    draw(kHere + i, row_->spans_before[i], segment, first);
    own_.before[i] = bits(kHere + i);
  }
  if (edges_) draw_edges();
  segment_ = {segment.label, segment.begin - first, segment.end - first, segment.sums};
  own_.segments = std::span(&segment_, 1);
  return own_;
}

/// Sets the runs of the label in a row, in the columns of the segment and next to them.
void LabelWindow::draw(std::size_t row, std::span<const LabelRun> runs, const Segment& segment, int first) {
  std::size_t& next = next_[row];
  while (next < runs.size() && runs[next].end <= segment.begin - kReach) ++next;
  for (std::size_t i = next; i < runs.size() && runs[i].begin < segment.end + kReach; ++i)
    if (runs[i].label == segment.label)
      fill_span(line(row), std::max(runs[i].begin, segment.begin - kReach) - first,
                std::min(runs[i].end, segment.end + kReach) - first);
  move_aside(line(row), pitch_);
}

void LabelWindow::draw_edges() {
  for (std::size_t i = 0; i < kEdges; ++i) {
    const std::size_t row = kHere + kBefore + i;
    const RowBits above = bits(i), here = bits(i + 1), below = bits(i + 2);
    for (std::size_t word = 0; word < pitch_; ++word)
      line(row)[word] = edges_of(above, here, below, static_cast<int>(word));
    move_aside(line(row), pitch_);
    own_.edges[i] = bits(row);
  }
}

Components one_of_all(const Extent& extent) {
  Component component;
  component.area = static_cast<std::uint64_t>(extent.elements());
  component.box = {{0, 0, 0}, {extent.width - 1, extent.height - 1, extent.depth - 1}};
  Components one;
  one.push_back(component);
  return one;
}

std::vector<Region> regions_of(std::int64_t begin, std::int64_t end, const Extent& extent) {
  std::vector<Region> regions;
  while (begin < end) {
    const int y = static_cast<int>(begin % extent.height), z = static_cast<int>(begin / extent.height);
    Region region{z, z + 1, y, static_cast<int>(std::min<std::int64_t>(extent.height, y + (end - begin)))};
    if (y == 0 && end - begin >= extent.height) {
      region.z1 = static_cast<int>(end / extent.height);
      region.y1 = extent.height;
    }
    begin = std::int64_t{region.z1 - 1} * extent.height + region.y1;
    regions.push_back(region);
  }
  return regions;
}

std::vector<Region> cut(const Region& all, const Extent& extent) {
  constexpr std::int64_t kElementsOfPlane = 1 << 20;
  constexpr int kFewestRows = 64, kFewestSlices = 8;
  const int rows = static_cast<int>(
      std::clamp<std::int64_t>(kElementsOfPlane / std::max(1, extent.width), kFewestRows, INT32_MAX / 2));
  const int tasks = 4 * tbb::this_task_arena::max_concurrency();
  const int height = all.y1 - all.y0;
  int bands = std::max(1, height / rows);
  const int layers =
      std::clamp((tasks + bands - 1) / bands, 1, std::max(1, (all.z1 - all.z0) / kFewestSlices));
  bands = std::max(bands, std::min((tasks + layers - 1) / layers, height / kFewestRows));
  const auto part = [](int first, int last, int i, int parts) {
    return first + static_cast<int>(std::int64_t{last - first} * i / parts);
  };
  std::vector<Region> regions;
  for (int layer = 0; layer < layers; ++layer)
    for (int band = 0; band < bands; ++band)
      regions.push_back({part(all.z0, all.z1, layer, layers), part(all.z0, all.z1, layer + 1, layers),
                         part(all.y0, all.y1, band, bands), part(all.y0, all.y1, band + 1, bands), all.x0,
                         all.x1});
  return regions;
}

bool parts_fit(const Components& components, const std::vector<Region>& regions, std::size_t bytes_of_part,
               std::int64_t max_bytes) {
  const auto threads =
      std::min(regions.size(), static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  const auto fit = [&](std::int64_t parts) {
    return static_cast<double>(parts) * static_cast<double>(bytes_of_part * threads) <=
           static_cast<double>(max_bytes);
  };
  return fit(static_cast<std::int64_t>(components.size())) ||
         fit(std::count_if(components.box.begin(), components.box.end(), [&](const Box& box) {
           return std::none_of(regions.begin(), regions.end(),
                               [&](const Region& region) { return region.holds(box); });
         }));
}

}  // namespace gpuccl::measuring
