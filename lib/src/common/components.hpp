#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpuccl/detail/system.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Calls use(memory, bytes) for each array.
template <class Use>
void for_each_column(Components& components, const Use& use) {
  use(components.area.data(), components.area.size() * sizeof components.area[0]);
  use(components.box.data(), components.box.size() * sizeof components.box[0]);
  use(components.sum.data(), components.sum.size() * sizeof components.sum[0]);
}

/// Returns `count` uninitialized components in huge pages, for threads to fill: first touches of small pages
/// would take longer than filling them.
inline Components large_components(std::size_t count) {
  Components components;
  components.resize(count);
  for_each_column(components, advise_huge_pages);
  return components;
}

/// Keeps the first `most` components of `order`, or, given the values of all components, the first `most` of
/// each value.
template <class Index>
void keep_first(std::vector<Index>& order, std::uint64_t most, std::span<const ValueBits> values) {
  if (values.empty()) {
    if (most < order.size()) order.resize(static_cast<std::size_t>(most));
    return;
  }
  std::unordered_map<ValueBits, std::uint64_t> seen;
  std::erase_if(order, [&](Index i) { return ++seen[values[i]] > most; });
}

}  // namespace gpuccl
