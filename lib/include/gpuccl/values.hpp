#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/types.hpp"

// Multi-label images, such as segmentations: neighbors connect if their values are equal, or with a
// delta nearly equal (quasi-flat zones).
#pragma GCC visibility push(default)
namespace gpuccl {

/// A run: elements of a row each of which connects to the previous one; the value is that of the first.
struct ValueRun {
  int begin, end;
  ValueBits value;
};
static_assert(std::has_unique_object_representations_v<ValueRun>);  // rows are compared byte by byte

/// A multi-label image as runs. Elements connect to a neighbor if neither is 0 and they differ by at
/// most `delta`; NaN counts as 0. The elements are kept only if `delta` is above 0.
class ValueImage {
 public:
  ValueImage(Extent extent, ValueType type, double delta = 0);
  ~ValueImage();
  ValueImage(ValueImage&&) noexcept;
  ValueImage& operator=(ValueImage&&) noexcept;

  /// Adds rows [first_row, first_row + rows) (Extent::rows), with values in native byte order without
  /// padding. Add each row once. Thread-safe for different rows.
  void add_rows(std::int64_t first_row, std::int64_t rows, const std::byte* values);

  const Extent& extent() const { return extent_; }
  ValueType type() const { return type_; }
  double delta() const { return delta_; }
  std::span<const ValueRun> row(std::int64_t row) const {
    return {rows_[static_cast<std::size_t>(row)].runs, rows_[static_cast<std::size_t>(row)].count};
  }
  /// Returns the values of a row; null with a delta of 0.
  const std::byte* elements(std::int64_t row) const;
  /// Returns true if an element is NaN.
  bool any_nan() const;
  /// Counts the elements that are not 0.
  std::int64_t count_foreground() const;
  std::int64_t count_runs() const;
  std::int64_t most_runs_in_row() const;

  /// Returns an upper bound of the bytes of an image of this extent and of labeling it, without
  /// components.
  static double most_bytes(Extent extent, ValueType type, double delta);

 private:
  struct Row {
    const ValueRun* runs = nullptr;
    std::size_t count = 0;
  };
  class Memory;

  Extent extent_;
  ValueType type_;
  double delta_;
  std::vector<Row> rows_;
  std::unique_ptr<Memory> memory_;  // of the runs
  std::unique_ptr<std::byte[]> elements_;
};

/// Appends the runs of equal labels of a row to `out`. `type`: integers of at most 32 bits. Labels below 0
/// are background; returns false if there are any. `room`: memory of the calls for several rows.
bool list_labels(const std::byte* row, ValueType type, int width, UninitializedVector<LabelRun>& room,
                 LabelRuns& out);

/// Labels of a multi-label image, and the value of the first element of each component.
struct ValueLabeling {
  Labeling labeled;
  UninitializedVector<ValueBits> values;
};

/// Labels a multi-label image, in raster order over all values. The labels own the image. `strips`: 0
/// for a default from the number of threads; the result is the same. `only_labels`: without components
/// and values, which takes less time and memory. Throws Error: data if there are more than 2^32 - 1
/// components; memory.
ValueLabeling label_values(ValueImage image, Connectivity connectivity, int strips = 0,
                           bool only_labels = false);

}  // namespace gpuccl
#pragma GCC visibility pop
