#pragma once

#include <cstdint>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/components.hpp"

namespace gpuccl::app {

/// Elements of all components, and of the largest.
struct Areas {
  std::uint64_t sum = 0, largest = 0;
};

Areas areas_of(const Components& components);

/// What must hold whatever labeled the image; nothing is written when it does not. Error (internal) unless
/// there are as many components as labels and as many elements `in_components` as in the foreground.
void self_check(const Labeled& labeled, std::uint64_t in_components, std::int64_t foreground);

}  // namespace gpuccl::app
