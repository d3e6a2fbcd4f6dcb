#pragma once

#include <cstddef>

#include "gpuccl/detail/huge_pages.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Calls use(memory, bytes) for each column.
template <class Use>
void for_each_column(Components& components, const Use& use) {
  use(components.area.data(), components.area.size() * sizeof components.area[0]);
  use(components.box.data(), components.box.size() * sizeof components.box[0]);
  use(components.sum.data(), components.sum.size() * sizeof components.sum[0]);
}

/// Returns `count` uninitialized components that threads are to fill, in huge pages: touching small ones
/// first takes longer than filling them.
inline Components large_components(std::size_t count) {
  Components components;
  components.resize(count);
  for_each_column(components, advise_huge_pages);
  return components;
}

}  // namespace gpuccl
