#pragma once

#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runs/core/tile_forest.cuh"

namespace gpuccl::cuda::runs {

/// Labels are below this limit, so find_labels() has a bit to spare.
inline constexpr std::uint64_t kLabelLimit = std::uint64_t{1} << 31;

/// Selects the components whose labels are looked up.
enum class LabelScope {
  all,
  foreign,  // 0 for those whose root is in this tile, if links inside the tile lead to it
};

/// Writes the labels of all nodes of a tile to the shared array `labels`. Waits for the thread block.
template <class Tile, LabelScope scope = LabelScope::all, class Link>
__device__ void find_labels(const LabelState<Link>& tables, std::int64_t tile, std::uint32_t* labels) {
  constexpr std::uint32_t kAsNode = 1u << 31;  // the label is that of another node of the tile
  const Link begin = static_cast<Link>(tile * Tile::kNodes);
  const std::uint32_t nodes = tables.nodes[tile];
  share_among_threads(nodes, [&](std::uint32_t node) {
    const Link link = tables.links[begin + node];
    if (Links<Link>::is_root(link)) {
      labels[node] = scope == LabelScope::all ? label_of(tables, link) : 0;
    } else if (const Link slot = Links<Link>::slot(link); slot - begin < Tile::kNodes) {
      labels[node] = kAsNode | static_cast<std::uint32_t>(slot - begin);
    } else {
      labels[node] = label_of(tables, first_of(tables.links, slot));
    }
  });
  __syncthreads();
  share_among_threads(nodes, [&](std::uint32_t node) {
    std::uint32_t label = labels[node];
    if ((label & kAsNode) == 0) return;
    while ((label & kAsNode) != 0) label = plain_load(labels + (label & ~kAsNode));
    plain_store(labels + node, label);
  });
  __syncthreads();
}

}  // namespace gpuccl::cuda::runs
