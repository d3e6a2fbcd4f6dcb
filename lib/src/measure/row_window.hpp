#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpuccl/image.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {

/// Part of a volume: columns [x0, x1) of rows [y0, y1) of slices [z0, z1).
struct Region {
  int z0 = 0, z1 = 0;
  int y0 = 0, y1 = 0;
  int x0 = 0, x1 = INT32_MAX;

  bool holds(const Box& box) const {
    return z0 <= box.min[2] && box.max[2] < z1 && y0 <= box.min[1] && box.max[1] < y1;
  }
};

/// Returns one component that contains all elements.
Components one_of_all(const Extent& extent);

/// Returns rows [begin, end) of all rows as regions: the end of a slice, whole slices, the beginning of a
/// slice.
std::vector<Region> regions_of(std::int64_t begin, std::int64_t end, const Extent& extent);

/// Divides the rows of a region for threads. Each resulting region needs little memory.
std::vector<Region> cut(const Region& all, const Extent& extent);

/// Returns true if memory suffices for the parts of components in several regions, for all threads.
bool parts_fit(const Components& components, const std::vector<Region>& regions, std::size_t bytes_of_part,
               std::int64_t max_bytes);

/// The rows of labels that are used together.
struct RowAccess {
  Extent extent;
  /// The labeled image; empty if it must be rendered from the runs.
  BitView bits = {};
  /// Lists rows [first_row, first_row + rows) of all rows: as LabelRows::list_spans if there are `bits`,
  /// otherwise as list_runs.
  std::function<void(std::int64_t first_row, std::int64_t rows, LabelRuns& out)> list = {};
  bool slices_touch = false;  // the slice before is read
  bool edges = false;         // LabeledRow::edges are needed
  bool joins_runs = true;     // merges runs of one label across background
};

inline constexpr std::size_t kLines = 3;  // per row: the row itself, and shifted to either side

/// Fills the other two lines of a row, which follow it. Lines have `words` words.
void move_aside(Word* row, std::size_t words);
/// Returns the elements of a word that have a background neighbor along x or y.
inline Word edges_of(const RowBits& above, const RowBits& here, const RowBits& below, int word) {
  return here[word] & ~(here.left(word) & here.right(word) & above[word] & below[word]);
}

/// Some rows of a slice, as spans and as bits.
class Plane {
 public:
  /// Reads rows [y0, y1) that exist.
  void read(const RowAccess& rows, int z, int y0, int y1);

  bool holds(int y) const { return y0_ <= y && y < y1_; }
  std::span<const LabelRun> spans(int y) const {
    return holds(y) ? spans_.row(index(y)) : std::span<const LabelRun>();
  }
  RowBits bits(int y) const { return {bits_.data() + index(y) * kLines * pitch_, line()}; }
  RowBits edges(int y) const { return {edges_.data() + index(y) * kLines * pitch_, line()}; }

 private:
  std::size_t index(int y) const { return static_cast<std::size_t>(y - y0_); }
  std::ptrdiff_t line() const { return static_cast<std::ptrdiff_t>(pitch_); }
  void find_edges();

  int y0_ = 0, y1_ = 0;
  std::size_t pitch_ = 0;
  LabelRuns spans_;
  std::vector<Word> bits_, edges_;
};

/// Visits the rows of a region in order, with the rows around each.
class RowWindow {
 public:
  static constexpr int kReach = 2;  // rows of the same slice that are read on either side

  /// `rows` must outlive this object.
  RowWindow(const RowAccess& rows, const Region& region);

  /// Sets all members of `row` except its segments. Returns false after the last row.
  bool next(LabeledRow& row);

 private:
  void read_slice();

  const RowAccess& rows_;
  Region region_;
  int y_, z_;
  Plane before_, here_;
  std::vector<Word> zeros_;
};

/// Rows around a segment with only the elements of its label, in a window of a few words.
class LabelWindow {
 public:
  LabelWindow(bool is_volume, bool edges) : is_volume_(is_volume), edges_(edges) {}

  /// Begins a row. Its segments must follow from left to right. `row` must outlive them.
  void begin(const LabeledRow& row);
  /// Returns the row with only this segment, valid until the next call. Columns count from the first of the
  /// window.
  const LabeledRow& around(const Segment& segment);

 private:
  static constexpr int kMargin = 2;                                 // words on either side of the segment
  static constexpr int kReach = RowWindow::kReach;                  // columns
  static constexpr std::size_t kHere = 5, kBefore = 3, kEdges = 3;  // rows, as in LabeledRow

  Word* line(std::size_t row) { return words_.data() + row * kLines * pitch_; }
  RowBits bits(std::size_t row) { return {line(row), static_cast<std::ptrdiff_t>(pitch_)}; }
  void draw(std::size_t row, std::span<const LabelRun> runs, const Segment& segment, int first);
  void draw_edges();

  const bool is_volume_, edges_;
  const LabeledRow* row_ = nullptr;
  std::array<std::size_t, kHere + kBefore> next_{};  // per row: the first run that may reach a later segment
  std::size_t pitch_ = 0;
  std::vector<Word> words_;
  Segment segment_;
  LabeledRow own_;
};

}  // namespace gpuccl::measuring
