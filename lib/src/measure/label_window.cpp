#include "measure/label_window.hpp"

#include <algorithm>

namespace gpuccl::measuring {

void LabelWindow::begin(const LabeledRow& row) {
  row_ = &row;
  next_.fill(0);
  own_.y = row.y;
  own_.z = row.z;
}

const LabeledRow& LabelWindow::around(const Stretch& stretch) {
  const int first = (stretch.begin / kWordBits - kMargin) * kWordBits;  // column; may be negative
  pitch_ =
      static_cast<std::size_t>((stretch.end - 1) / kWordBits - stretch.begin / kWordBits + 1 + 2 * kMargin);
  words_.assign((kHere + kBefore + kEdges) * kLines * pitch_, 0);
  // Only edges need the outermost rows.
  const std::size_t outer = edges_ ? 0 : 1;
  for (std::size_t i = outer; i < kHere - outer; ++i) {
    draw(i, row_->spans_here[i], stretch, first);
    own_.here[i] = bits(i);
  }
  for (std::size_t i = 0; is_volume_ && i < kBefore; ++i) {
    draw(kHere + i, row_->spans_before[i], stretch, first);
    own_.before[i] = bits(kHere + i);
  }
  if (edges_) draw_edges();
  stretch_ = {stretch.label, stretch.begin - first, stretch.end - first, stretch.sums};
  own_.stretches = std::span(&stretch_, 1);
  return own_;
}

/// Draws the runs of the label in a row, in the columns of the stretch and next to them.
void LabelWindow::draw(std::size_t row, std::span<const LabelRun> runs, const Stretch& stretch, int first) {
  std::size_t& next = next_[row];
  while (next < runs.size() && runs[next].end <= stretch.begin - kReach) ++next;
  for (std::size_t i = next; i < runs.size() && runs[i].begin < stretch.end + kReach; ++i)
    if (runs[i].label == stretch.label)
      set_bits(line(row), std::max(runs[i].begin, stretch.begin - kReach) - first,
               std::min(runs[i].end, stretch.end + kReach) - first);
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

}  // namespace gpuccl::measuring
