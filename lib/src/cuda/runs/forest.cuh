#pragma once

#include <cstdint>

#include "cuda/runs/words.cuh"

namespace gpuccl::cuda::runs {

/// What the image's forest holds for a node: of a root, the position of its component's first element; of any
/// other node, a flag and the slot of a node closer to the root. A position is the index of a bit in the
/// image's words, so positions are in raster order. 32 bits do while both positions and slots fit 31 of them.
template <class Link>
struct Links {
  static constexpr Link kLinked = Link{1} << (8 * sizeof(Link) - 1);

  __device__ static bool is_root(Link link) { return (link & kLinked) == 0; }
  __device__ static Link to(Link slot) { return kLinked | slot; }
  __device__ static Link slot(Link link) { return link & ~kLinked; }
};

/// The components of all tiles, joined across the edges of tiles. A root with the later first element is
/// hooked under one with an earlier one; so first elements need no second look, and there are no cycles.
///
/// Links are read past the first-level cache: a stale link is no error, but it costs a walk, and on long thin
/// components many (spiral: 3.5 times the time).
template <class Link>
class Forest {
 public:
  /// `first_bits`: one bit an element, set at the first element of every component; cleared as they are
  /// joined.
  __device__ Forest(Link* links, Word* first_bits) : links_(links), first_bits_(first_bits) {}

  /// A node closer to the root, or the node itself.
  __device__ Link step(Link slot) const {
    const Link link = __ldcg(links_ + slot);
    return Links<Link>::is_root(link) ? slot : Links<Link>::slot(link);
  }

  __device__ void unite(Link a, Link b) const {
    Root high = find(a), low = find(b);
    while (high.slot != low.slot) {
      if (high.first < low.first) {
        const Root other = high;
        high = low;
        low = other;
      }
      const Link was = atomicCAS(links_ + high.slot, high.first, Links<Link>::to(low.slot));
      if (was == high.first) {
        atomicAnd(first_bits_ + high.first / kWordBits, ~(1u << high.first % kWordBits));
        return;
      }
      high = find(Links<Link>::slot(was));  // another thread hooked it first
      low = find(low.slot);
    }
  }

 private:
  struct Root {
    Link slot, first;
  };

  /// Moves every second link to its parent's parent, so that later walks are shorter.
  __device__ Root find(Link slot) const {
    Link link = __ldcg(links_ + slot);
    while (!Links<Link>::is_root(link)) {
      const Link parent = Links<Link>::slot(link);
      const Link next = __ldcg(links_ + parent);
      if (Links<Link>::is_root(next)) return {parent, next};
      __stcg(links_ + slot, next);
      slot = Links<Link>::slot(next);
      link = __ldcg(links_ + slot);
    }
    return {slot, link};
  }

  Link* links_;
  Word* first_bits_;
};

/// Position of the first element of the component that `slot` belongs to, once nothing changes any more.
template <class Link>
__device__ Link first_of(const Link* links, Link slot) {
  Link link = links[slot];
  while (!Links<Link>::is_root(link)) link = links[Links<Link>::slot(link)];
  return link;
}

}  // namespace gpuccl::cuda::runs
