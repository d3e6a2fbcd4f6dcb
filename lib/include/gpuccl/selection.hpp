#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/column.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/condition.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/periodic.hpp"
#include "gpuccl/value_type.hpp"

namespace gpuccl {

/// Order of labels; size: largest first, equal sizes in raster order; value: ascending, of ComponentValues.
enum class LabelOrder { raster, size, value };

/// Filters and order of components.
struct SelectionOptions {
  std::uint64_t min_size = 0;  // elements
  std::uint64_t max_size = ~std::uint64_t{0};
  std::uint64_t largest = 0;   // number of largest components to keep; 0: all
  Condition keep = {};         // components must satisfy it
  bool clear_border = false;   // remove components at the image border (2D: of the slice)
  PeriodicAxes periodic = {};  // axes without border
  LabelOrder order = LabelOrder::raster;

  friend bool operator==(const SelectionOptions&, const SelectionOptions&) = default;
};

/// Result of a selection.
struct Selection {
  std::vector<Label> map;  // old label -> new label, 0 if removed; empty if nothing changes
  Components components;   // remaining components, by new label
  std::uint64_t dropped = 0;
};

/// Values of the components of a multi-label image (values.hpp).
struct ComponentValues {
  std::span<const ValueBits> bits = {};  // one per component
  ValueType type = ValueType::u8;
  bool apart = false;  // apply SelectionOptions::largest to each value
};

/// Filters and orders components. `per_slice`, or a depth of 1: first and last slice are not a border.
/// Requires that `measured` and `values` contain all that SelectionOptions::keep compares. Time:
/// O(components), with an order or a limit O(components log components).
Selection select(Components components, Extent extent, bool per_slice, const SelectionOptions& options,
                 const Measured& measured = Measured(), const ComponentValues& values = {});

/// Applies `map` to `values`: keeps the value of each of the `components` remaining components. Does
/// nothing if `map` or `values` is empty.
void follow(const std::vector<Label>& map, std::size_t components, Column<ValueBits>& values);

}  // namespace gpuccl
