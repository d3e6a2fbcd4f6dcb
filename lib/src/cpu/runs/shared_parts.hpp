#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "common/union_find.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// The parts that one strip has of components that begin in strips before it: a hash table with linear
/// probing that never grows, so that what it takes is known.
class SharedParts {
 public:
  struct Part {
    Component component;
    Label label = 0;
  };
  static constexpr std::size_t kBytesEach = sizeof(Part) + 4 * sizeof(Index);

  SharedParts() = default;
  /// Room for `most` components.
  explicit SharedParts(std::size_t most) : most_(most) {}

  const std::vector<Part>& parts() const { return parts_; }
  bool holds(Label label) const { return !slots_.empty() && slots_[slot_of(label)] != 0; }

  /// The part of the component `label`, empty at first; null where there is no room for one more. It stays
  /// where it is.
  Component* find_or_add(Label label) {
    if (slots_.empty()) {
      parts_.reserve(most_);
      slots_.resize(std::bit_ceil(2 * std::max<std::size_t>(1, most_)));
    }
    Index& slot = slots_[slot_of(label)];
    if (slot == 0) {
      if (parts_.size() == most_) return nullptr;
      parts_.push_back({{}, label});
      slot = static_cast<Index>(parts_.size());
    }
    return &parts_[slot - 1].component;
  }

 private:
  /// The slot of `label`, or the free one that it would get.
  std::size_t slot_of(Label label) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = label * std::size_t{0x9e3779b97f4a7c15} >> (64 - std::bit_width(mask));
    while (slots_[slot] != 0 && parts_[slots_[slot] - 1].label != label) slot = (slot + 1) & mask;
    return slot;
  }

  std::size_t most_ = 0;
  std::vector<Part> parts_;
  std::vector<Index> slots_;  // numbers of parts from 1 on, 0: free; half of them at least are
};

}  // namespace gpuccl::cpu
