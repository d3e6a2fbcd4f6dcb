#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/value_rules.hpp"

namespace gpuccl {

/// Whether runs of two rows connect that touch, when values may differ by a delta: an element of the one must
/// connect to an element of the other.
template <class T>
class ChainedRuns {
 public:
  /// `here` and `other`: the elements of the rows.
  ChainedRuns(double delta, const std::byte* here, const std::byte* other, bool diagonal)
      : within_(delta), here_(here), other_(other), reach_(diagonal ? 1 : 0) {}

  template <class Run>
  bool operator()(const Run& here, const Run& other) const {
    const std::int64_t first = other.begin, end = other.end;  // the widest row ends at 2^31 - 1
    for (std::int64_t x = std::max(std::int64_t{here.begin}, first - reach_);
         x < std::min(std::int64_t{here.end}, end + reach_); ++x)
      for (std::int64_t at = std::max(x - reach_, first); at < std::min(x + reach_ + 1, end); ++at)
        if (within_(value(here_, x), value(other_, at))) return true;
    return false;
  }

 private:
  static T value(const std::byte* row, std::int64_t x) {
    T value;
    std::memcpy(&value, row + static_cast<std::size_t>(x) * sizeof(T), sizeof value);
    return value;
  }

  Within<T> within_;
  const std::byte *here_, *other_;
  int reach_;
};

}  // namespace gpuccl
