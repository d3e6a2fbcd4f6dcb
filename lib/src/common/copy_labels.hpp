#pragma once

#include <algorithm>
#include <cstdint>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Renders labels from memory, as LabelSource::render() does. Returns the end of the rows written.
template <class From, class To>
To* copy_labels(const From* from, std::int64_t count, To* to, const Label* map) {
  if (map != nullptr)
    return std::transform(from, from + count, to, [map](From label) { return static_cast<To>(map[label]); });
  return std::transform(from, from + count, to, [](From label) { return static_cast<To>(label); });
}

}  // namespace gpuccl
