#pragma once

#include "cuda/runs/core/contacts.cuh"
#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/core/source.cuh"
#include "cuda/runs/core/tile_forest.cuh"
#include "cuda/runtime/launch.cuh"

// LocalMerge: labels the pieces of each tile in shared memory, one thread per word of bundles.
//
//   1. Nodes: numbers the pieces in the order of the words (a prefix sum over the thread block).
//   2. Links: links each piece to the first piece that it touches in an earlier bundle. This needs no atomic
//      operation, and most images leave few other contacts. Those go into a queue.
//   3. Compression: links each node closer to its root, so that unions follow short paths.
//   4. Unions: processes the queue, one contact per thread, whichever thread found it.
//   5. First elements: a root is the first piece of its component in the order of bundles, but the first
//      element in raster order may be in another piece of the same row (2D) or layer (3D) of bundles.
//   6. Output: writes the links of all nodes, and a bit at every first element.
namespace gpuccl::cuda::runs {

inline constexpr int kQueueLength = 1024;

template <class Tile>
struct LocalShared {
  Word words[Bundle<Tile>::kWords * Tile::kThreads];  // the image; from step 4 on, bits of first elements
  std::uint32_t links[Tile::kNodes];
  std::uint32_t queue[kQueueLength];
  std::uint32_t queued;
  NodeCounts<Tile> counts;
};

/// Links the pieces of a word to pieces that they touch, and removes these contacts from `contacts`. Returns
/// the starts of the pieces that may be in the first row (2D) or layer (3D) of their component.
template <class Tile>
__device__ Word link_pieces(std::uint32_t* links, Contacts<Tile>& contacts,
                            const Nodes<Tile, std::uint32_t>& nodes) {
  const int pieces = count_bits(nodes.starts);
#pragma unroll 1
  for (int piece = 0; piece < pieces; ++piece) links[nodes.own + piece] = nodes.own + piece;

  Word free = nodes.starts, in_layer = 0;  // pieces without a link; pieces linked within their layer
  for_each_index<Tile::kSides>([&]<int i>() {
    for_each_shift<Tile, i>([&]<int shift>() {
      Word rest = 0;
      for (Word found = contacts.at_side[i][shift]; found != 0; found &= found - 1) {
        const auto up_to = UpToPieces::of_lowest(found, shift);
        const Word starts = nodes.starts & up_to.own;
        const Word start = last_start(starts);
        if ((free & start) != 0) {
          free ^= start;
          links[nodes.own + last_piece(starts)] =
              nodes.other[i] + last_piece(nodes.other_starts[i] & up_to.other);
        } else {
          rest |= found & up_to.here;
        }
      }
      contacts.at_side[i][shift] = rest;
    });
    if constexpr (i == 0 && Tile::kLayers > 1) in_layer = nodes.starts & ~free;
  });
  const Word maybe_first = free | in_layer;

  // If the first piece has no link yet, a seam becomes its link and needs no union.
  if (contacts.seams != 0 && (free & 1) != 0) {
    bool still = true;
    if ((contacts.seams & Contacts<Tile>::left_to_own()) != 0) {
      links[nodes.own] = nodes.left;
      contacts.seams &= ~Contacts<Tile>::left_to_own();
      still = false;
    }
#pragma unroll
    for (int i = 0; i < Tile::kSides; ++i)
      if (still && (contacts.seams & Contacts<Tile>::own_to_other_left(i)) != 0) {
        links[nodes.own] = nodes.other_left[i];
        contacts.seams &= ~Contacts<Tile>::own_to_other_left(i);
        still = false;
      }
  }
  return maybe_first;
}

/// Moves the remaining contacts to the queue, if it has room for them.
template <class Tile>
__device__ void queue_contacts(LocalShared<Tile>& shared, Contacts<Tile>& contacts,
                               const Nodes<Tile, std::uint32_t>& nodes) {
  const std::uint32_t count = static_cast<std::uint32_t>(contacts.count());
  if (count == 0) return;
  std::uint32_t at = atomicAdd(&shared.queued, count);
  if (at + count <= kQueueLength) {
    for_each_contact(contacts, nodes, [&](const auto& pair) { shared.queue[at++] = pair.a << 16 | pair.b; });
    contacts = {};
  } else {
    while (at < kQueueLength) shared.queue[at++] = 0;  // union of node 0 with itself
  }
}

template <class Tile, class Link, class Source>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kAtOnce)
    local_merge(TiledImage frame, Source source, LabelState<Link> tables) {
  __shared__ LocalShared<Tile> shared;
  let_next_launch_begin();
  const int t = static_cast<int>(threadIdx.x);
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  if (tile == 0) clear_before_counting(tables.first);

  // 1. Nodes
  const Bundle<Tile> own = source.template load<Tile>(frame, place.image_word(), place.y(), place.z());
#pragma unroll
  for (int i = 0; i < Bundle<Tile>::kWords; ++i) shared.words[i * Tile::kThreads + t] = own.row[i];
  if (t == 0) shared.queued = 0;
  Nodes<Tile, std::uint32_t> nodes;
  nodes.starts = own.starts();
  const NodeNumbers<Tile> numbers(shared.counts, count_bits(nodes.starts));  // waits for the block
  nodes.own = numbers.first(shared.counts, t);
  nodes.left = nodes.own - 1;
  tables.first_node[tile * Tile::kThreads + t] = static_cast<std::uint16_t>(nodes.own);
  if (t == 0) tables.nodes[tile] = numbers.total();

  // 2. Links
  Bundle<Tile> others[Tile::kNeighbors];
  unsigned sides_inside = 0;
  for_each_index<Tile::kNeighbors>([&]<int i>() {
    const int row = place.row + neighbor_dy(i), layer = place.layer + neighbor_dz(i);
    const bool inside = row >= 0 && row < Tile::kRows && layer >= 0;
    const int other = inside ? (layer * Tile::kRows + row) * Tile::kWords + place.word : t;
#pragma unroll
    for (int j = 0; j < Bundle<Tile>::kWords; ++j)
      others[i].row[j] = inside ? shared.words[j * Tile::kThreads + other] : 0;
    if constexpr (i < Tile::kSides) {
      nodes.other[i] = numbers.first(shared.counts, other);
      nodes.other_left[i] = nodes.other[i] - 1;
      nodes.other_starts[i] = others[i].starts();
      if (inside) sides_inside |= 1u << i;
    }
  });
  const unsigned last = __shfl_up_sync(~0u, last_bits(own, others), 1);
  auto contacts = find_contacts(own, others, place.word > 0 ? last : 0);
  if constexpr (Tile::kOfValues) {
    add_lists(frame, index_of_word(frame, place), sides_inside, contacts);
    if (place.word == 0) contacts.seams = 0;
  }
  const Word maybe_first = link_pieces(shared.links, contacts, nodes);
  queue_contacts(shared, contacts, nodes);
  __syncthreads();

  // 3. Compression
  const TileForest forest(shared.links);
  share_among_threads(numbers.total(), [&](std::uint32_t node) { forest.compress_inline(node); });
  __syncthreads();

  // 4. Unions
  const std::uint32_t queued = shared.queued < kQueueLength ? shared.queued : kQueueLength;
  share_among_threads(
      queued, [&](std::uint32_t i) { forest.unite(shared.queue[i] >> 16, shared.queue[i] & 0xffff); });
  for_each_contact(contacts, nodes, [&](const auto& pair) { forest.unite(pair.a, pair.b); });
#pragma unroll
  for (int i = 0; i < Tile::kBundleRows; ++i) shared.words[i * Tile::kThreads + t] = 0;
  __syncthreads();

  // 5. First elements
  const int begin = t - t % (Tile::kLayers > 1 ? Tile::kWords * Tile::kRows : Tile::kWords);
  const std::uint32_t first_in_reach = numbers.first(shared.counts, begin);
  for (Word rest = maybe_first; rest != 0; rest &= rest - 1) {
    const Word start = rest & (0u - rest);
    const std::uint32_t node = nodes.own + count_bits(nodes.starts & (start - 1));
    const std::uint32_t root = marked_root(shared.links, node);
    if (root < first_in_reach) continue;
    const auto first = first_element<Tile>(own, own.piece(start));
    if (root == node || !first.in_last_row)
      mark_first(shared.links, root, position_in_tile<Tile>(place, first.row, first.bit));
  }
  __syncthreads();

  // 6. Output
  const std::int64_t slots = tile * Tile::kNodes;
  share_among_threads(numbers.total(), [&](std::uint32_t node) {
    const std::uint32_t root = marked_root(shared.links, node);
    Link link = Links<Link>::to(static_cast<Link>(slots + root));
    if (root == node) {
      const std::uint32_t position = marked_first(shared.links, node);
      atomicOr(&shared.words[position / kWordBits], 1u << position % kWordBits);
      link = position_in_image<Link>(frame, place, position);
    }
    tables.links[slots + node] = link;
  });
  __syncthreads();
  for_each_row<Tile>(frame, place.image_word(), place.y(), place.z(), [&](int i, std::int64_t index) {
    tables.first.words[index] = shared.words[position_in_tile<Tile>(place, i, 0) / kWordBits];
  });
}

}  // namespace gpuccl::cuda::runs
