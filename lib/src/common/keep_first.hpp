#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpuccl/types.hpp"

namespace gpuccl {

/// Keeps the first `most` of components in `order`, or given the values of all components, the first of each
/// value.
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
