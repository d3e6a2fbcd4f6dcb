#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "measure/group.hpp"
#include "measure/row_window.hpp"

namespace gpuccl::measuring {

/// Rows around a stretch that contain only the elements of its label, in a window of a few words.
class LabelWindow {
 public:
  LabelWindow(bool is_volume, bool edges) : is_volume_(is_volume), edges_(edges) {}

  /// Begins a row, whose stretches follow from left to right. `row` must outlive them.
  void begin(const LabeledRow& row);
  /// Returns the row with only this stretch, valid until the next call. Columns count from the first of the
  /// window.
  const LabeledRow& around(const Stretch& stretch);

 private:
  static constexpr int kMargin = 2;                                 // words on either side of the stretch
  static constexpr int kReach = RowWindow::kReach;                  // columns
  static constexpr std::size_t kHere = 5, kBefore = 3, kEdges = 3;  // rows, as in LabeledRow

  Word* line(std::size_t row) { return words_.data() + row * kLines * pitch_; }
  RowBits bits(std::size_t row) { return {line(row), static_cast<std::ptrdiff_t>(pitch_)}; }
  void draw(std::size_t row, std::span<const LabelRun> runs, const Stretch& stretch, int first);
  void draw_edges();

  const bool is_volume_, edges_;
  const LabeledRow* row_ = nullptr;
  std::array<std::size_t, kHere + kBefore> next_{};  // per row: the first run that may reach a later stretch
  std::size_t pitch_ = 0;
  std::vector<Word> words_;
  Stretch stretch_;
  LabeledRow own_;
};

}  // namespace gpuccl::measuring
