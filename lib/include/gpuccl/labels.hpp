#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/types.hpp"

// Labels of an image, and the components they number.
#pragma GCC visibility push(default)
namespace gpuccl {

/// A component number, 1..N; 0 is background.
using Label = std::uint32_t;

/// Destination of labels of 1, 2 or 4 bytes.
using LabelsOut = std::variant<std::uint8_t*, std::uint16_t*, std::uint32_t*>;

/// Elements [begin, end) of a row that have the same label, which is not 0.
struct LabelRun {
  int begin = 0, end = 0;
  Label label = 0;

  friend bool operator==(const LabelRun&, const LabelRun&) = default;
};

/// Label runs of consecutive rows, from left to right.
struct LabelRuns {
  std::vector<LabelRun> runs;
  std::vector<std::size_t> ends;  // end of each row, as an index into `runs`

  /// Appends a run to the current row, unless it is background. Extends the previous run if both
  /// touch and have the same label.
  void add(const LabelRun& run) {
    if (run.label == 0) return;
    const bool is_first = runs.size() == (ends.empty() ? 0 : ends.back());
    if (!is_first && runs.back().end == run.begin && runs.back().label == run.label)
      runs.back().end = run.end;
    else
      runs.push_back(run);
  }
  /// Returns the runs of row `row`.
  std::span<const LabelRun> row(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends[row - 1];
    return {runs.data() + begin, ends[row] - begin};
  }
};

/// The final labels of one image: 1..N in raster order (z, y, x) of each component's first element.
///
/// An implementation need not hold a label image: rows are rendered on demand, so writing a file needs
/// memory for a few strips only. render() and list_runs() are thread-safe.
class LabelRows {
 public:
  virtual ~LabelRows() = default;

  virtual Extent extent() const = 0;
  /// Returns N.
  virtual Label count() const = 0;

  /// Makes rows [first_row, first_row + rows) available for render() and returns the end of the
  /// available range. Evicts earlier rows. Call with ascending rows, never concurrently with
  /// render(). Needed only for labels of slabs (parts.hpp); others are always available.
  /// Throws Error if reading or labeling a slab fails.
  virtual std::int64_t prepare(std::int64_t /*first_row*/, std::int64_t /*rows*/) const {
    return extent().rows();
  }

  /// Writes the labels of rows [first_row, first_row + rows) (Extent::rows) to `out`, `width` values
  /// per row without padding. With `map`, which has N + 1 entries and starts with 0, writes map[l]
  /// instead of l. Requires that the largest value fits the type of `out`. Thread-safe.
  /// The default draws the runs; override this function, list_runs() or both.
  virtual void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const;

  /// Replaces `out` with the label runs of these rows, maximal if `map` is injective. The default
  /// scans rendered rows; override it if runs are known. Thread-safe.
  virtual void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const;
};

/// A label image in memory, 4 bytes per element, rows without padding.
class LabelImage final : public LabelRows {
 public:
  /// Allocates labels without initializing them.
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

/// Renders all rows of `source` into one image.
LabelImage render_all(const LabelRows& source);

/// Bounding box in elements, with inclusive maxima. Axes are in the order x, y, z.
struct Box {
  std::array<int, 3> min{};
  std::array<int, 3> max{};
  friend bool operator==(const Box&, const Box&) = default;
};

/// Sum of one coordinate over a component; it may exceed 2^64 from 2^33 elements on.
__extension__ typedef unsigned __int128 CoordinateSum;

/// Area, bounding box and coordinate sums of one component, or of a part of one.
struct Component {
  std::uint64_t area = 0;  // elements
  Box box{{INT32_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}};
  std::array<CoordinateSum, 3> sum{};

  void add(const Component& other);
};

/// Area, bounding box and coordinate sums of all components, as a structure of arrays: entry i belongs
/// to label i + 1.
struct Components {
  UninitializedVector<std::uint64_t> area;  // elements
  UninitializedVector<Box> box;
  UninitializedVector<std::array<std::uint64_t, 3>> sum;         // of the coordinates x, y, z, modulo 2^64
  std::map<std::size_t, std::array<std::uint64_t, 3>> sum_high;  // sum of entry i / 2^64, if not 0

  static constexpr std::size_t kBytesEach =
      sizeof(std::uint64_t) + sizeof(Box) + sizeof(std::array<std::uint64_t, 3>);

  std::size_t size() const { return area.size(); }
  /// Resizes without initializing new entries.
  void resize(std::size_t count) {
    area.resize(count);
    box.resize(count);
    sum.resize(count);
  }
  Component operator[](std::size_t i) const;
  void set(std::size_t i, const Component& component);
  void push_back(const Component& component);

  /// Returns the centroid of component i along axis 0 (x), 1 (y) or 2 (z).
  double centroid(std::size_t i, int axis) const;
  friend bool operator==(const Components&, const Components&) = default;
};

}  // namespace gpuccl
#pragma GCC visibility pop
