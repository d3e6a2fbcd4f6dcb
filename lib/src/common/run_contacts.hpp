#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/value_rules.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Calls touch(run, other run) for touching runs of two adjacent rows; with `diagonal`, also across a corner.
/// The runs of a row may touch each other.
template <class Run, class Touch>
void for_each_contact_of_rows(std::span<const Run> a, std::span<const Run> b, bool diagonal, Touch touch) {
  const int reach = diagonal ? 1 : 0;
  const Run *of_a = a.data(), *of_b = b.data();
  const Run *const end_a = of_a + a.size(), *const end_b = of_b + b.size();
  while (of_a != end_a && of_b != end_b) {
    if (of_a->begin - reach < of_b->end && of_b->begin - reach < of_a->end) touch(*of_a, *of_b);
    // The run that ends first touches no further run. If both end, each may touch the successor of the other.
    const int end = std::min(of_a->end, of_b->end);
    const bool ends_a = of_a->end == end, ends_b = of_b->end == end;
    if (diagonal && ends_a && ends_b) {
      if (of_b + 1 != end_b && of_b[1].begin == end) touch(*of_a, of_b[1]);
      if (of_a + 1 != end_a && of_a[1].begin == end) touch(of_a[1], *of_b);
    }
    of_a += ends_a;
    of_b += ends_b;
  }
}

/// Calls found(label, other label, elements) for every run of `row` and every run of `other` with neighboring
/// elements, those at x and at x + shift; `elements`: number of such pairs. Time: O(runs).
template <class Found>
void for_each_overlap(std::span<const LabelRun> row, std::span<const LabelRun> other, int shift,
                      Found found) {
  auto first = other.begin();
  for (const LabelRun& run : row) {
    while (first != other.end() && first->end - shift <= run.begin) ++first;
    for (auto at = first; at != other.end() && at->begin - shift < run.end; ++at)
      found(run.label, at->label,
            std::min(run.end, at->end - shift) - std::max(run.begin, at->begin - shift));
  }
}

/// Condition under which touching runs of two rows connect if values may differ by a delta: an element of one
/// must connect to an element of the other.
template <class T>
class ChainedRuns {
 public:
  /// `here`, `other`: elements of the rows.
  ChainedRuns(double delta, const std::byte* here, const std::byte* other, bool diagonal)
      : within_(delta), here_(here), other_(other), reach_(diagonal ? 1 : 0) {}

  template <class Run>
  bool operator()(const Run& here, const Run& other) const {
    const std::int64_t first = other.begin,
                       end = other.end;  // 64-bit, because the widest row ends at 2^31 - 1
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
