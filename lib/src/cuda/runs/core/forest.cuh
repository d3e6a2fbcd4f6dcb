#pragma once

#include <cstdint>

#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runs/core/words.cuh"

namespace gpuccl::cuda::runs {

/// Entry of a node in the image's forest: for a root, the position of its component's first element; for any
/// other node, a flag and the slot of a node closer to the root. A position is the index of a bit in the
/// image's words, so positions are in raster order. 32 bits suffice if positions and slots fit into 31 bits.
template <class Link>
struct Links {
  static constexpr Link kLinked = Link{1} << (8 * sizeof(Link) - 1);

  __device__ static bool is_root(Link link) { return (link & kLinked) == 0; }
  __device__ static Link to(Link slot) { return kLinked | slot; }
  __device__ static Link slot(Link link) { return link & ~kLinked; }
};

using NarrowLink = std::uint32_t;
using WideLink = unsigned long long;
enum class LinkWidth { as_needed, wide };

/// The components of all tiles, merged across the edges of tiles. The root with the later first element is
/// linked to the other root, so first elements are correct at once, and no cycles arise.
///
/// Reads of links bypass the L1 cache: a stale link is not an error, but costs a find step, and many of them
/// on long thin components (spiral: 3.5 times the time).
template <class Link>
class Forest {
 public:
  /// `first_bits`: one bit per element, set at the first element of each component; cleared when components
  /// are merged.
  __device__ Forest(Link* links, Word* first_bits) : links_(links), first_bits_(first_bits) {}

  /// Returns a node closer to the root, or the node itself.
  __device__ Link step(Link slot) const { return up(slot, __ldcg(links_ + slot)); }

  __device__ void unite(Link a, Link b) const {
    Root high{a, 0}, low{b, 0};
    while (!find(high, low)) {
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
      high.slot = Links<Link>::slot(was);  // another thread linked it first
    }
  }

 private:
  struct Root {
    Link slot, first;
  };

  /// Follows links from two nodes to their roots at the same time: each step waits for memory, and the two
  /// loads overlap. Links every second node to its grandparent (path halving). Returns true if both nodes
  /// have the same root. It then ends where the paths meet, without reading the link of a root that thousands
  /// of threads read.
  __device__ bool find(Root& a, Root& b) const {
    Link link_a = __ldcg(links_ + a.slot), link_b = __ldcg(links_ + b.slot);
    while (!Links<Link>::is_root(link_a) || !Links<Link>::is_root(link_b)) {
      if (up(a.slot, link_a) == up(b.slot, link_b)) return true;
      const Link next_a = __ldcg(links_ + up(a.slot, link_a)), next_b = __ldcg(links_ + up(b.slot, link_b));
      const bool more_a = advance(a.slot, link_a, next_a), more_b = advance(b.slot, link_b, next_b);
      link_a = next_a;
      link_b = next_b;
      if (!more_a && !more_b) continue;
      link_a = __ldcg(links_ + a.slot);
      link_b = __ldcg(links_ + b.slot);
    }
    a.first = link_a;
    b.first = link_b;
    return a.slot == b.slot;
  }

  /// Returns the parent of a node, or the node itself.
  __device__ static Link up(Link slot, Link link) {
    return Links<Link>::is_root(link) ? slot : Links<Link>::slot(link);
  }

  /// Moves from a node, whose parent has the link `next`, to its parent. If the parent is not a root, moves
  /// on to the grandparent, whose link must be read next, and returns true.
  __device__ bool advance(Link& slot, Link link, Link next) const {
    const bool more = !Links<Link>::is_root(link) && !Links<Link>::is_root(next);
    if (more) __stcg(links_ + slot, next);
    slot = more ? Links<Link>::slot(next) : up(slot, link);
    return more;
  }

  Link* links_;
  Word* first_bits_;
};

/// Returns the position of the first element of the component of `slot`. Call it after all unions.
template <class Link>
__device__ Link first_of(const Link* links, Link slot) {
  Link link = links[slot];
  while (!Links<Link>::is_root(link)) link = links[Links<Link>::slot(link)];
  return link;
}

/// Device arrays through which kernels pass data. Node n of tile t is slot t * Tile::kNodes + n.
template <class Link>
struct LabelState {
  Link* links;                // [tiles * Tile::kNodes]. A tile uses its first slots.
  std::uint16_t* first_node;  // [tiles * Tile::kThreads]: node of the first piece of each word of bundles
  std::uint32_t* nodes;       // [tiles]: number of nodes
  Bitmap first;               // one bit per element: first elements of components
};

/// Clears the memory that must be zero when Numbering begins. All threads of one thread block call it.
__device__ inline void clear_before_counting(const Bitmap& bitmap) {
  const auto progress = static_cast<unsigned>(bitmap.lengths.progress());
  for (unsigned i = threadIdx.x; i < progress; i += blockDim.x) bitmap.progress[i] = 0;
  const auto padding = static_cast<unsigned>(bitmap.lengths.padding());
  for (unsigned i = threadIdx.x; i < padding; i += blockDim.x) bitmap.words[bitmap.lengths.words + i] = 0;
}

/// Returns the label of the component whose first element is at `position`.
template <class Link>
__device__ std::uint32_t label_of(const LabelState<Link>& tables, Link position) {
  return tables.first.counted().up_to(position);
}

}  // namespace gpuccl::cuda::runs
