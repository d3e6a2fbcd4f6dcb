#pragma once

#include "cuda/runs/statistics/measure.cuh"

// Statistics where tiles are crowded, as in noise: most components then lie in one tile, and have few pieces.
// A tile owns the components whose root it contains. It writes its own contribution with plain stores. Most
// components need nothing else: no global atomics and no zero-initialized output. measure() adds the rest.
//
// One lane per piece. A single piece, the common case, is stored directly; pieces of one component are
// gathered in shared memory, for as many components at a time as fit.
namespace gpuccl::cuda::runs {

/// Tiles are crowded if the average number of components per tile is at least this.
inline constexpr std::size_t kDense = 128;

template <class Tile>
struct DenseShared {
  static constexpr std::uint16_t kGathered = 1u << 15, kElsewhere = kGathered - 1;
  static_assert(Tile::kNodes <= kElsewhere);

  Word words[Bundle<Tile>::kWordsOfPieces * Tile::kThreads];  // the image
  std::uint16_t
      piece[Tile::kNodes];  // per node: the thread of its word, and the start of its piece in the word
  /// Root of a node in the tile, or kElsewhere; also kElsewhere once done, except for a root of other nodes.
  /// Such a root has kGathered and the number of its component among the gathered ones.
  std::uint16_t root[Tile::kNodes];
  std::uint32_t gathered;
  std::uint16_t waiting[Tile::kWarps][2 * kWarp];            // nodes, until each lane of the warp has one
  PartSums<kAxes<Tile>, kAxes<Tile> == 2 ? 256 : 160> sums;  // sized for the target occupancy

  __device__ static std::uint16_t node_of(std::uint16_t root) { return root & kElsewhere; }
};

/// Fills `shared.root` and `shared.gathered`. All threads call it.
template <class Tile, class Link>
__device__ void find_roots(DenseShared<Tile>& shared, const Link* links, Link begin, std::uint32_t nodes) {
  using Shared = DenseShared<Tile>;
  if (threadIdx.x == 0) shared.gathered = 0;
  share_among_threads(nodes, [&](std::uint32_t node) {
    const Link link = links[begin + node];
    const Link in_tile = Links<Link>::is_root(link) ? node : Links<Link>::slot(link) - begin;
    shared.root[node] = in_tile < Tile::kNodes ? static_cast<std::uint16_t>(in_tile) : Shared::kElsewhere;
  });
  __syncthreads();
  share_among_threads(nodes, [&](std::uint32_t node) {
    std::uint16_t root = Shared::node_of(plain_load(shared.root + node));
    if (root == node) return;
    while (root != Shared::kElsewhere) {
      const std::uint16_t next = Shared::node_of(plain_load(shared.root + root));
      if (next == root) break;
      root = next;
    }
    plain_store(shared.root + node, root);
    if (root != Shared::kElsewhere && plain_load(shared.root + root) == root)
      plain_store(shared.root + root, static_cast<std::uint16_t>(Shared::kGathered | root));
  });
  __syncthreads();
  share_among_threads(nodes, [&](std::uint32_t node) {
    if ((shared.root[node] & Shared::kGathered) != 0)
      shared.root[node] = static_cast<std::uint16_t>(Shared::kGathered | atomicAdd(&shared.gathered, 1u));
  });
  __syncthreads();
}

/// Calls visit(true, node) for all nodes of a tile with is_wanted(node), from all lanes of a warp at a time.
/// Lanes without a node call visit(false, ...).
template <class Tile, class IsWanted, class Visit>
__device__ void for_each_wanted(std::uint16_t (&waiting)[Tile::kWarps][2 * kWarp], std::uint32_t nodes,
                                IsWanted is_wanted, Visit visit) {
  const unsigned lane = threadIdx.x % kWarp;
  std::uint16_t* const queue = waiting[threadIdx.x / kWarp];
  unsigned queued = 0;
  for (std::uint32_t begin = threadIdx.x - lane; begin < nodes || queued > 0; begin += Tile::kThreads) {
    if (begin < nodes) {
      const bool wanted = is_wanted(begin + lane);
      const unsigned all = __ballot_sync(kAllLanes, wanted);
      if (wanted) queue[queued + __popc(all & ((1u << lane) - 1))] = static_cast<std::uint16_t>(begin + lane);
      queued += static_cast<unsigned>(__popc(all));
      __syncwarp();
      if (queued < kWarp) continue;
    }
    const unsigned taken = queued < kWarp ? queued : kWarp;
    queued -= taken;
    visit(lane < taken, std::uint32_t{queue[queued + lane]});
    __syncwarp();
  }
}

/// Returns the contribution of a node's piece.
template <class Tile>
__device__ TilePart<kAxes<Tile>> part_of_node(const DenseShared<Tile>& shared, std::uint32_t node) {
  const unsigned thread = shared.piece[node] / kWordBits, start = 1u << shared.piece[node] % kWordBits;
  Bundle<Tile> bundle;
#pragma unroll
  for (int i = 0; i < Bundle<Tile>::kWordsOfPieces; ++i)
    bundle.row[i] = shared.words[i * Tile::kThreads + thread];
  TilePart<kAxes<Tile>> part;
  add_piece<Tile>(part, bundle, bundle.piece(start), static_cast<int>(thread % Tile::kWords),
                  static_cast<int>(thread / Tile::kWords % Tile::kRows),
                  static_cast<int>(thread / (Tile::kWords * Tile::kRows)));
  return part;
}

template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kAtOnce)
    dense_statistics(TiledImage frame, LabelState<Link> tables, ComponentSums components) {
  using Shared = DenseShared<Tile>;
  __shared__ Shared shared;
  let_next_launch_begin();
  const auto t = threadIdx.x;
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const auto bundle = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
#pragma unroll
  for (int i = 0; i < Bundle<Tile>::kWordsOfPieces; ++i) shared.words[i * Tile::kThreads + t] = bundle.row[i];
  unsigned own = tables.first_node[tile * Tile::kThreads + t];
  for (Word starts = bundle.starts(); starts != 0; starts &= starts - 1)
    shared.piece[own++] = static_cast<std::uint16_t>(t * kWordBits + lowest_bit(starts));
  const Link begin = static_cast<Link>(tile * Tile::kNodes);
  const std::uint32_t nodes = tables.nodes[tile];
  find_roots(shared, tables.links, begin, nodes);

  const TileCorner corner{
      {place.tile_x * Tile::kWidth, place.tile_y * Tile::kHeight, place.tile_z * Tile::kDepth}};
  const auto label_of_root = [&](std::uint32_t node) { return label_of(tables, tables.links[begin + node]); };

  // Single pieces come first, in a pass of their own: storing takes a warp most of its time, and as long for
  // few lanes as for all.
  const auto is_alone = [&](std::uint32_t node) { return node < nodes && shared.root[node] == node; };
  for_each_wanted<Tile>(shared.waiting, nodes, is_alone, [&](bool has_node, std::uint32_t node) {
    TilePart<kAxes<Tile>> part;
    if (has_node) {
      part = part_of_node(shared, node);
      part.label = label_of_root(node);
      shared.root[node] = Shared::kElsewhere;
    }
    __syncwarp();
    components.store(part, corner);
  });

  constexpr unsigned kEntries = decltype(shared.sums)::kEntries;
  for (unsigned first = 0; first < shared.gathered; first += kEntries) {
    for (unsigned i = t; i < kEntries; i += Tile::kThreads) shared.sums.clear(static_cast<int>(i));
    __syncthreads();
    const auto is_root = [&](std::uint32_t node) { return (shared.root[node] & Shared::kGathered) != 0; };
    // Returns the index of the node's component among those gathered in this pass; kEntries or more if it is
    // not among them.
    const auto number_of = [&](std::uint32_t node) {
      const std::uint16_t root = shared.root[node];
      return Shared::node_of(is_root(node) ? root : shared.root[root]) - first;
    };
    const auto is_wanted = [&](std::uint32_t node) {
      return node < nodes && shared.root[node] != Shared::kElsewhere && number_of(node) < kEntries;
    };
    for_each_wanted<Tile>(shared.waiting, nodes, is_wanted, [&](bool has_node, std::uint32_t node) {
      if (!has_node) return;
      const unsigned number = number_of(node);
      shared.sums.add(number, part_of_node(shared, node));
      if (is_root(node))
        shared.sums.label[number] = label_of_root(node);
      else
        shared.root[node] = Shared::kElsewhere;
    });
    __syncthreads();
    for (unsigned i = t; i < kEntries; i += Tile::kThreads)
      components.store(shared.sums.part(static_cast<int>(i)), corner);
    __syncthreads();
  }
}

}  // namespace gpuccl::cuda::runs
