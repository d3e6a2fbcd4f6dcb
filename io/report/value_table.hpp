#pragma once

#include <cstdint>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/value_type.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// What there is of a value.
struct OfValue {
  ValueBits value = 0;
  std::uint64_t components = 0, elements = 0, largest = 0;

  friend bool operator==(const OfValue&, const OfValue&) = default;
};

/// Of each value that components have, in ascending order.
std::vector<OfValue> sum_up_values(const ValueColumn& column, const Components& components);

/// The same of all of these, such as those of several parts.
std::vector<OfValue> sum_up_values(ValueType type, const std::vector<OfValue>& all);

}  // namespace gpuccl::io
