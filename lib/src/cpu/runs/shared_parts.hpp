#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "common/union_find.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// The parts that one strip has of components that begin in strips before it: a hash table with linear
/// probing that never grows, so that what it takes is known.
class SharedParts {
 public:
  static constexpr std::size_t kBytesEach = Components::kBytesEach + sizeof(Label) + 4 * sizeof(Index);
  static constexpr std::size_t kNoRoom = ~std::size_t{0};

  SharedParts() = default;
  /// Room for `most` components.
  explicit SharedParts(std::size_t most) : most_(most) {}

  /// Entry i of components() is a part of component labels()[i].
  const std::vector<Label>& labels() const { return labels_; }
  Components& components() { return components_; }
  bool holds(Label label) const { return !slots_.empty() && slots_[slot_of(label)] != 0; }

  /// The entry of the component `label`, empty at first; kNoRoom where there is no room for one more.
  std::size_t find_or_add(Label label) {
    if (slots_.empty()) {
      labels_.reserve(most_);
      components_.resize(most_);
      slots_.resize(std::bit_ceil(2 * std::max<std::size_t>(1, most_)));
    }
    Index& slot = slots_[slot_of(label)];
    if (slot == 0) {
      if (labels_.size() == most_) return kNoRoom;
      components_.set(labels_.size(), {});
      labels_.push_back(label);
      slot = static_cast<Index>(labels_.size());
    }
    return slot - 1;
  }

 private:
  /// The slot of `label`, or the free one that it would get.
  std::size_t slot_of(Label label) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = label * std::size_t{0x9e3779b97f4a7c15} >> (64 - std::bit_width(mask));
    while (slots_[slot] != 0 && labels_[slots_[slot] - 1] != label) slot = (slot + 1) & mask;
    return slot;
  }

  std::size_t most_ = 0;
  Components components_;
  std::vector<Label> labels_;
  std::vector<Index> slots_;  // numbers of entries from 1 on, 0: free; half of them at least are
};

}  // namespace gpuccl::cpu
