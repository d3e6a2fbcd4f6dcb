#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "gpuccl/extent.hpp"

namespace gpuccl {

using Label = std::uint32_t;  // 0 is background

/// Where labels are written to, 1, 2 or 4 bytes each.
using LabelsOut = std::variant<std::uint8_t*, std::uint16_t*, std::uint32_t*>;

/// Elements [begin, end) of a row, all of one label other than 0.
struct LabelRun {
  int begin = 0, end = 0;
  Label label = 0;

  friend bool operator==(const LabelRun&, const LabelRun&) = default;
};

/// The runs of some rows, row after row and from left to right.
struct LabelRuns {
  std::vector<LabelRun> runs;
  std::vector<std::size_t> ends;  // of each row, in `runs`

  /// Adds a run to the row after these, unless it is background. What touches the run before it and has its
  /// label is more of that: runs of nearly equal values, say.
  void add(const LabelRun& run) {
    if (run.label == 0) return;
    const bool is_first = runs.size() == (ends.empty() ? 0 : ends.back());
    if (!is_first && runs.back().end == run.begin && runs.back().label == run.label)
      runs.back().end = run.end;
    else
      runs.push_back(run);
  }
};

/// The finished labels of one image: 1..N in raster order (z, then y, then x) of each component's first
/// element.
///
/// Nothing says that a label image exists: rows are rendered when they are asked for, so that writing a file
/// needs a few strips of memory. render() may be called from several threads at once.
class LabelSource {
 public:
  virtual ~LabelSource() = default;

  virtual Extent extent() const = 0;
  /// N.
  virtual Label count() const = 0;

  /// Sees to it that rows [first_row, first_row + rows) can be rendered, and returns the end of those that
  /// can be from first_row on. Rows before it are gone, until they are asked for again. Called in ascending
  /// order and while nothing is rendered. Only labels of slabs need it (slabs.hpp): all others are in memory.
  virtual std::int64_t prepare(std::int64_t /*first_row*/, std::int64_t /*rows*/) const {
    return extent().rows();
  }

  /// Writes the labels of rows [first_row, first_row + rows) of all rows of all slices (Extent::rows) to
  /// `out`, `width` values a row without padding. With `map`, which has N + 1 entries and starts with 0,
  /// label l is written as map[l]. The caller has made sure that the largest value fits the type of `out`.
  virtual void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const = 0;

  /// The same as runs, in place of what `out` held, as long as they can be where `map` gives no two labels
  /// one number. Here they are looked for in rendered rows; a source that knows them says them.
  virtual void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const;
};

/// A label image in memory, 4 bytes an element.
class LabelImage final : public LabelSource {
 public:
  /// Values are not initialized.
  LabelImage(Extent extent, Label count);

  Label* data() { return labels_.get(); }
  const Label* data() const { return labels_.get(); }
  Label operator()(int x, int y, int z = 0) const {
    return labels_[static_cast<std::size_t>(
        (static_cast<std::int64_t>(z) * extent_.height + y) * extent_.width + x)];
  }
  void set_count(Label count) { count_ = count; }

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;

 private:
  Extent extent_;
  Label count_ = 0;
  std::unique_ptr<Label[]> labels_;
};

/// All rows of `source` as one image.
LabelImage render_all(const LabelSource& source);

}  // namespace gpuccl
