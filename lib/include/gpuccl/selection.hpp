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

enum class LabelOrder { raster, size };  // size: largest first, equal sizes in raster order

/// Which components stay, and in which order they are numbered.
struct SelectionOptions {
  std::uint64_t min_size = 0;  // elements
  std::uint64_t max_size = ~std::uint64_t{0};
  std::uint64_t largest = 0;   // keep only so many of the largest; 0 keeps all
  Condition keep = {};         // drop what it does not hold of
  bool clear_border = false;   // drop what touches the edge of the image (2D: of its slice)
  PeriodicAxes periodic = {};  // have no edge
  LabelOrder order = LabelOrder::raster;

  friend bool operator==(const SelectionOptions&, const SelectionOptions&) = default;
};

struct Selection {
  std::vector<Label> map;  // old label -> new label, 0 for dropped; empty when nothing changes
  Components components;   // those that stay, by new label
  std::uint64_t dropped = 0;
};

/// The values of components, of an image of values (values.hpp).
struct ComponentValues {
  std::span<const ValueBits> bits = {};  // of each
  ValueType type = ValueType::u8;
  bool apart = false;  // SelectionOptions::largest is the number of the largest of each value
};

/// `per_slice`: components live in one slice, so the first and last slice are no border of theirs. A volume
/// of one slice, labeled by 6-, 18- or 26-connectivity, is all border. `measured`: of these components, all
/// that SelectionOptions::keep compares; `values`, too, where it compares them.
Selection select(Components components, Extent extent, bool per_slice, const SelectionOptions& options,
                 const Measured& measured = Measured(), const ComponentValues& values = {});

/// What is left of the values of components when Selection::map, or another, has made so many of them;
/// nothing changes where one of both is empty.
void follow(const std::vector<Label>& map, std::size_t components, Column<ValueBits>& values);

}  // namespace gpuccl
