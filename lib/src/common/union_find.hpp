#pragma once

#include <cstdint>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

/// Returns the smaller of two labels that is not background (0 - 1 wraps to the largest integer).
GPUCCL_HD constexpr Label min_positive(Label a, Label b) { return a - 1 < b - 1 ? a : b; }

using Index = std::uint32_t;  // position of an element in a buffer, row padding included, or of a run

/// Encoding of a link to a parent. An element that links to itself is a root.
struct ZeroBased {  // the parent's index
  GPUCCL_HD static Label pack(Index parent) { return parent; }
  GPUCCL_HD static Index unpack(Label link) { return link; }
};
struct OneBased {  // the parent's index + 1, which leaves 0 to mean background
  GPUCCL_HD static Label pack(Index parent) { return parent + 1; }
  GPUCCL_HD static Index unpack(Label link) { return link - 1; }
};

/// Path compression in find().
enum class Walk {
  plain,    // none, as in the papers
  halving,  // links every second element to its grandparent, which shortens later finds
};

/// Access to links by one thread. A device has its own `Memory` with the same three functions.
struct OneThread {
  static Label load(const Label* p) { return *p; }
  static void store(Label* p, Label v) { *p = v; }
  static Label fetch_min(Label* p, Label v) {
    const Label was = *p;
    if (v < was) *p = v;
    return was;
  }
};

/// Reports a step along a link to a `Memory` that counts steps. Other memories have no step().
template <class Memory>
GPUCCL_HD void count_step() {
  if constexpr (requires { Memory::step(); }) Memory::step();
}

/// Disjoint sets in an array of links; for pixels, the array is the label image.
///
/// Links lead to smaller indices, so a root is the smallest index of its set, find() ends, and a stale read
/// costs a step but never a wrong answer.
///
/// Any number of threads may unite at the same time, with any path compression in find(). Only fetch_min
/// links a root, and only one thread finds that it still was a root. Afterwards other threads may write to
/// that link in any order: finds store ancestors, and a late fetch_min stores an index of another set. It
/// does not matter which of them stays, because everything that an element is ever linked to is connected by
/// links of earlier elements: its ancestors by the links that were followed, and a late index by unite(),
/// which continues until it has united this index with the previous link of the element.
///
/// compress() stores an ancestor too. It leaves every element linked to its root only if all have united.
template <class Links, class Memory, Walk walk = Walk::plain>
class UnionFind {
 public:
  GPUCCL_HD explicit UnionFind(Label* links) : links_(links) {}

  GPUCCL_HD void make_set(Index i) const { Memory::store(links_ + i, Links::pack(i)); }

  GPUCCL_HD Index find(Index i) const {
    for (Index parent = parent_of(i); parent != i; parent = parent_of(i)) {
      count_step<Memory>();
      if constexpr (walk == Walk::halving) {
        const Index grandparent = parent_of(parent);
        if (grandparent != parent) link(i, grandparent);
        parent = grandparent;
      }
      i = parent;
    }
    return i;
  }

  /// Links i directly to its root. Does not write a link that is already correct.
  GPUCCL_HD void compress(Index i) const {
    const Index parent = parent_of(i);
    if (parent == i) return;
    const Index root = find(parent);
    if (root != parent) link(i, root);
  }

  /// Compresses inline: relinks i at every find step, so other threads that meet i need fewer steps.
  GPUCCL_HD void compress_inline(Index i) const {
    Index at = parent_of(i);
    if (at == i) return;
    for (Index parent = parent_of(at); parent != at; parent = parent_of(at)) {
      count_step<Memory>();
      link(i, parent);
      at = parent;
    }
  }

  /// Returns true if a and b are in one set as far as their links show, without a find().
  GPUCCL_HD bool same_parent(Index a, Index b) const { return parent_of(a) == parent_of(b); }

  /// Merges the sets of a and b. Returns an element of the merged set at or near its root, for further
  /// unions.
  GPUCCL_HD Index unite(Index a, Index b) const {
    while ((a = find(a)) != (b = find(b))) {
      const Index high = a < b ? b : a;
      const Index low = a < b ? a : b;
      const Index was = Links::unpack(Memory::fetch_min(links_ + high, Links::pack(low)));
      if (was == high) return low;  // high was still a root: linked
      a = low;                      // another thread linked it first; continue with its parent
      b = was;
    }
    return a;
  }

 protected:
  GPUCCL_HD Index parent_of(Index i) const { return Links::unpack(Memory::load(links_ + i)); }
  GPUCCL_HD void link(Index i, Index parent) const { Memory::store(links_ + i, Links::pack(parent)); }

 private:
  Label* links_;
};

}  // namespace gpuccl
