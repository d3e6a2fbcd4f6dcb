#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/column.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/value_type.hpp"

// Images of values, such as those of segmentations: neighbors connect when their values are equal, or nearly.
namespace gpuccl {

/// A stretch of a row in which each element connects to the one before it; the value is that of the first.
struct ValueRun {
  int begin, end;
  ValueBits value;
};
static_assert(std::has_unique_object_representations_v<ValueRun>);  // rows are compared byte by byte

/// An image of values as runs. An element connects to a neighbor if neither is 0 and they differ by at most
/// `delta`; NaN is as 0. With a delta of 0 all elements of a run are equal, so that the elements themselves
/// are not kept. With a larger one they are.
class ValueImage {
 public:
  ValueImage(Extent extent, ValueType type, double delta = 0);
  ~ValueImage();
  ValueImage(ValueImage&&) noexcept;
  ValueImage& operator=(ValueImage&&) noexcept;

  /// Takes rows [first_row, first_row + rows) of all rows of all slices (Extent::rows), values in the byte
  /// order of this machine without padding. Each row is taken once, different ones by several threads at
  /// once.
  void add_rows(std::int64_t first_row, std::int64_t rows, const std::byte* values);

  const Extent& extent() const { return extent_; }
  ValueType type() const { return type_; }
  double delta() const { return delta_; }
  std::span<const ValueRun> row(std::int64_t row) const {
    return {rows_[static_cast<std::size_t>(row)].runs, rows_[static_cast<std::size_t>(row)].count};
  }
  /// The values of a row; null with a delta of 0.
  const std::byte* elements(std::int64_t row) const;
  /// Elements that are not 0.
  std::int64_t count_foreground() const;
  std::int64_t count_runs() const;
  std::int64_t most_runs_in_row() const;

  /// Bytes of an image of this extent at most, and of what labels it, without components.
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

/// The labels of an image of values, and of each component the value of its first element.
struct LabeledValues {
  Labeled labeled;
  Column<ValueBits> values;
};

/// Labels the components, numbered as always, over all values. The labels own the image. `strips`: 0 lets the
/// number of threads decide; labels are the same.
LabeledValues label_values(ValueImage image, Connectivity connectivity, int strips = 0);

}  // namespace gpuccl
