#pragma once

#include <algorithm>
#include <span>

namespace gpuccl {

/// Calls touch(run, other run) wherever runs of two rows next to each other touch; with `diagonal`, also
/// across a corner. The runs of a row may touch each other.
template <class Run, class Touch>
void for_each_contact_of_rows(std::span<const Run> a, std::span<const Run> b, bool diagonal, Touch touch) {
  const int reach = diagonal ? 1 : 0;
  const Run *of_a = a.data(), *of_b = b.data();
  const Run *const end_a = of_a + a.size(), *const end_b = of_b + b.size();
  while (of_a != end_a && of_b != end_b) {
    if (of_a->begin - reach < of_b->end && of_b->begin - reach < of_a->end) touch(*of_a, *of_b);
    // The one that ends first touches nothing more; if both end, each may touch what comes after the other.
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

}  // namespace gpuccl
