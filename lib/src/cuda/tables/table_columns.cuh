#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "cuda/device/counted_bits.cuh"
#include "gpuccl/device.hpp"

// Tables of measures on a device.
namespace gpuccl::cuda::tables {

/// Columns by measure, the labels last; null: not wanted.
struct ColumnSet {
  static constexpr std::size_t kLabels = kMeasures;

  void* data[kMeasures + 1] = {};
  // A bit per column: whether it has integers, whether these have 32 bits, whether values are 1 more.
  std::uint32_t integers[kMeasures / 32 + 1] = {}, narrow[kMeasures / 32 + 1] = {},
                                          past_end[kMeasures / 32 + 1] = {};

  explicit ColumnSet(std::span<const DeviceColumn> columns) {
    for (const DeviceColumn& column : columns) {
      const std::size_t i = column.measure ? static_cast<std::size_t>(*column.measure) : kLabels;
      std::visit([&](auto* to) { data[i] = to; }, column.data);
      const std::uint32_t bit = 1u << i % 32;
      if (!std::holds_alternative<double*>(column.data)) integers[i / 32] |= bit;
      if (std::holds_alternative<std::int32_t*>(column.data)) narrow[i / 32] |= bit;
      if (column.is_past_end) past_end[i / 32] |= bit;
    }
  }
  /// Returns true if one of the measures [first, last] is wanted.
  bool any_of(MeasureId first, MeasureId last) const {
    return std::any_of(data + static_cast<std::size_t>(first), data + static_cast<std::size_t>(last) + 1,
                       [](const void* column) { return column != nullptr; });
  }
};

/// One row of a table, to which formulas write.
struct TableRow {
  const ColumnSet& columns;
  std::size_t row;

  struct Cell {
    void* column;
    bool is_integer, is_narrow;
    int more;
    std::size_t row;

    template <class T>
    __device__ void operator=(T value) const {
      if (column == nullptr) return;
      if (is_narrow)
        static_cast<int*>(column)[row] = static_cast<int>(static_cast<long long>(value) + more);
      else if (is_integer)
        static_cast<long long*>(column)[row] = static_cast<long long>(value) + more;
      else
        static_cast<double*>(column)[row] =
            more != 0 ? static_cast<double>(value) + more : static_cast<double>(value);
    }
  };
  __device__ Cell at(std::size_t i) const {
    const auto bit = [&](const std::uint32_t* bits) { return bits[i / 32] >> i % 32 & 1u; };
    return {columns.data[i], bit(columns.integers) != 0, bit(columns.narrow) != 0,
            static_cast<int>(bit(columns.past_end)), row};
  }
  __device__ Cell operator[](MeasureId id) const { return at(static_cast<std::size_t>(id)); }
  __device__ void set_whole(MeasureId id, WholeNumber value) const { (*this)[id] = value; }
};

/// Returns the row of label i + 1 among those that occur, or the highest number if it does not. Without
/// words, all labels have rows.
__device__ inline std::size_t row_of(const DeviceComponent& component, std::uint64_t i,
                                     const CountedBits& occurs) {
  if (occurs.words == nullptr) return i;
  return component.area == 0 ? ~std::size_t{0} : occurs.up_to(i) - std::size_t{1};
}

}  // namespace gpuccl::cuda::tables
