#pragma once

#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/core/contacts.cuh"
#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/core/tile_forest.cuh"
#include "cuda/runtime/launch.cuh"

// BoundaryMerge: merges components across the edges of tiles, with the contacts that LocalMerge could not
// see. One thread per word of bundles at a face of its tile:
//
//     left     word 0 of every row: seams to the tile on the left, and all other contacts that cross an edge
//     top      row 0                sides 0, 2 above
//     front    layer 0   (3D)       sides 1, 2, 3 in the layer before
//     bottom   last row  (3D)       side 3, which is one row further down
namespace gpuccl::cuda::runs {

inline constexpr unsigned kBoundaryThreads = 128;
// Target occupancy (resident blocks per SM); in 3D it costs each thread a few registers.
inline constexpr unsigned kBoundaryAtOnce = kThreadsOfSm * 9 / 16 / kBoundaryThreads;
inline constexpr std::uint32_t kQueuedPairs = 8;  // pairs that a lane queues at a time

template <class Tile>
struct FaceThreads {
  static constexpr unsigned kWords = Tile::kWords, kRows = Tile::kRows, kLayers = Tile::kLayers;
  static constexpr unsigned kLeft = kRows * kLayers;
  static constexpr unsigned kTop = kWords * kLayers;
  static constexpr unsigned kFront = Tile::kSides > 1 ? kWords* kRows : 0;
  static constexpr unsigned kBottom = Tile::kSides > 2 ? kWords* kLayers : 0;
  static constexpr unsigned kOtherFaces = kTop + kFront + kBottom;
  /// Words of these faces per warp, one per lane. In 2D only a quarter of the lanes have one: there are few
  /// such words, all with contacts, and their unions take the time.
  static constexpr unsigned kOtherFacesOfWarp = kLayers == 1 ? kWords : 32;

  /// Returns the number of threads for `tiles` tiles. 32 bits suffice: the links of more tiles would not fit
  /// into any memory.
  static unsigned threads(std::int64_t tiles) {
    const auto left = static_cast<unsigned>(tiles) * kLeft,
               other = static_cast<unsigned>(tiles) * kOtherFaces;
    return left + ceil_div(other, kOtherFacesOfWarp) * 32;
  }

  /// Returns the word that thread `i` of a launch processes: first the left faces of all tiles, so that a
  /// warp processes one kind of face, then the other faces of each tile. Sets `has_word` to false if another
  /// face contains the word, or if `i` is beyond the last word.
  __device__ static WordPosition<Tile> word(const TiledImage& frame, unsigned i, bool& has_word) {
    const auto tiles_x = static_cast<unsigned>(frame.tiles_x), tiles_y = static_cast<unsigned>(frame.tiles_y);
    const unsigned tiles = tiles_x * tiles_y * static_cast<unsigned>(frame.tiles_z);
    unsigned tile, word = 0, row = 0, layer = 0;
    if (i < tiles * kLeft) {
      tile = i / kLeft;
      row = i % kLeft % kRows;
      layer = i % kLeft / kRows;
    } else {
      i -= tiles * kLeft;
      has_word = i % 32 < kOtherFacesOfWarp;
      i = has_word ? i / 32 * kOtherFacesOfWarp + i % 32 : 0;
      tile = i / kOtherFaces;
      unsigned j = i % kOtherFaces;
      if (j < kTop) {
        word = j % kWords;
        layer = j / kWords;
        has_word = has_word && word != 0;
      } else if (j < kTop + kFront) {
        j -= kTop;
        word = j % kWords;
        row = j / kWords;
        has_word = has_word && word != 0 && row != 0;
      } else {
        j -= kTop + kFront;
        word = j % kWords;
        row = kRows - 1;
        layer = j / kWords;
        has_word = has_word && word != 0 && layer != 0;
      }
    }
    has_word = has_word && tile < tiles;
    const unsigned tile_row = tile / tiles_x;
    return {static_cast<int>(tile % tiles_x),
            static_cast<int>(tile_row % tiles_y),
            static_cast<int>(tile_row / tiles_y),
            static_cast<int>(word),
            static_cast<int>(row),
            static_cast<int>(layer)};
  }
};

/// Finds the slot of any piece of the image, from the tables that LocalMerge has written.
template <class Tile, class Link>
struct Slots {
  const TiledImage& frame;
  const std::uint16_t* first_node;

  /// Returns the slot of the first piece of word `word` of the bundle in row `row` and layer `layer`.
  __device__ Link first(int word, int row, int layer) const {
    const std::int64_t tile = frame.tile(word / Tile::kWords, row / Tile::kRows, layer / Tile::kLayers);
    const int thread =
        (layer % Tile::kLayers * Tile::kRows + row % Tile::kRows) * Tile::kWords + word % Tile::kWords;
    return static_cast<Link>(tile * Tile::kNodes + first_node[tile * Tile::kThreads + thread]);
  }
  /// Returns the slot of the last piece of that word. `starts`: where its pieces begin.
  __device__ Link last(int word, int row, int layer, Word starts) const {
    return first(word, row, layer) + static_cast<Link>(count_bits(starts) - 1);
  }
};

/// Returns true in the first of the lanes that want the union of the same pair.
template <class Link>
__device__ bool first_of_equals(const Pair<Link>& pair, bool wanted) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned a = __match_any_sync(~0u, wanted ? pair.a : static_cast<Link>(lane));
  const unsigned b = __match_any_sync(~0u, wanted ? pair.b : static_cast<Link>(lane));
  const unsigned same = a & b & __ballot_sync(~0u, wanted);
  return wanted && lowest_bit(same) == static_cast<int>(lane);
}

/// Merges along the contacts of a warp, distributed over its lanes, so that no lane has a long series of
/// unions. Each lane queues a few contacts at a time, because adjacent lanes then follow the same paths.
template <class Tile, class Link>
__device__ void unite_all(const Forest<Link>& forest, const Contacts<Tile>& contacts,
                          const Nodes<Tile, Link>& nodes, Pair<Link>* queue) {
  const std::uint32_t lane = threadIdx.x % 32;
  const auto found = static_cast<std::uint32_t>(contacts.count());
  for (std::uint32_t first = 0; __any_sync(~0u, first < found); first += kQueuedPairs) {
    const std::uint32_t left = first < found ? found - first : 0;
    const std::uint32_t own = left < kQueuedPairs ? left : kQueuedPairs;
    const std::uint32_t up_to_lane = sum_up_to_lane(own);
    const std::uint32_t all = __shfl_sync(~0u, up_to_lane, 31);
    std::uint32_t i = 0;
    for_each_contact(contacts, nodes, [&](const Pair<Link>& pair) {
      if (i - first < kQueuedPairs) queue[up_to_lane - own + i - first] = pair;
      ++i;
    });
    __syncwarp();
    for (std::uint32_t begin = 0; begin < all; begin += 32) {
      Pair<Link> pair{};
      if (begin + lane < all) pair = {forest.step(queue[begin + lane].a), forest.step(queue[begin + lane].b)};
      // Neighbors along a face mostly want the union of the same two components, so one of them does it.
      if (first_of_equals(pair, pair.a != pair.b)) forest.unite(pair.a, pair.b);
      __syncwarp();
    }
  }
}

template <class Tile, class Link>
__global__ void __launch_bounds__(kBoundaryThreads, kBoundaryAtOnce)
    boundary_merge(TiledImage frame, LabelState<Link> tables) {
  __shared__ Pair<Link> queues[kBoundaryThreads / 32][32 * kQueuedPairs];
  let_next_launch_begin();
  bool has_word = true;
  const WordPosition<Tile> place =
      FaceThreads<Tile>::word(frame, blockIdx.x * kBoundaryThreads + threadIdx.x, has_word);
  const int word = place.image_word(), y = place.y(), z = place.z();
  const bool at_left = has_word && place.word == 0;
  unsigned crossing = 0;  // sides that lie in another tile
  unsigned needed = at_left ? ~0u : 0;
  for_each_index<Tile::kSides>([&]<int i>() {
    const int other_row = place.row + neighbor_dy(i);
    if (other_row >= 0 && other_row < Tile::kRows && place.layer + neighbor_dz(i) >= 0) return;
    crossing |= 1u << i;
    needed |= 1u << i | witnesses_of<Tile>(i);
  });

  // The words to the left come from the previous lane, except at the left face.
  const auto own = Bundle<Tile>::load(frame, word, y, z);
  Bundle<Tile> left{}, others[Tile::kNeighbors]{}, others_left[Tile::kNeighbors]{};
  if (at_left) left = Bundle<Tile>::load(frame, word - 1, y, z);
  for_each_index<Tile::kNeighbors>([&]<int i>() {
    const int other_y = y + neighbor_dy(i) * Tile::kRowsY, other_z = z + neighbor_dz(i) * Tile::kRowsZ;
    if ((needed >> i & 1) != 0) others[i] = Bundle<Tile>::load(frame, word, other_y, other_z);
    if (at_left) others_left[i] = Bundle<Tile>::load(frame, word - 1, other_y, other_z);
  });
  unsigned left_bits = __shfl_up_sync(~0u, last_bits(own, others), 1);
  if (at_left) left_bits = last_bits(left, others_left);
  Contacts<Tile> contacts = find_contacts(own, others, left_bits);
  if constexpr (Tile::kOfValues)
    add_lists(frame, index_of_word(frame, place), crossing | (at_left ? ~0u : 0), contacts);

  unsigned seams = at_left ? Contacts<Tile>::left_to_own() : 0;  // seams that this thread processes
  for_each_index<Tile::kSides>([&]<int i>() {
    const bool crosses = (crossing >> i & 1) != 0;
    if (!crosses || !has_word)
      for (Word& found : contacts.at_side[i]) found = 0;
    // A contact along several words of the two tiles needs only the leftmost one.
    if (!at_left && (contacts.continued >> i & 1) != 0) contacts.at_side[i][kNoShift] &= ~1u;
    if (crosses || at_left) seams |= Contacts<Tile>::own_to_other_left(i) | Contacts<Tile>::left_to_other(i);
  });
  contacts.seams &= has_word ? seams : 0;

  wait_for_launch_before();
  const Slots<Tile, Link> slots{frame, tables.first_node};
  const int row = place.tile_y * Tile::kRows + place.row, layer = place.tile_z * Tile::kLayers + place.layer;
  Nodes<Tile, Link> nodes{};
  nodes.starts = own.starts();
  if (contacts.any()) nodes.own = slots.first(word, row, layer);
  nodes.left = nodes.own - 1;
  if (at_left && contacts.seams != 0) nodes.left = slots.last(word - 1, row, layer, left.starts());
  for_each_index<Tile::kSides>([&]<int i>() {
    const int other_row = row + neighbor_dy(i), other_layer = layer + neighbor_dz(i);
    const unsigned to_left = contacts.seams & Contacts<Tile>::own_to_other_left(i);
    nodes.other_starts[i] = others[i].starts();
    if ((contacts.any_at_side(i) | to_left | (contacts.seams & Contacts<Tile>::left_to_other(i))) != 0)
      nodes.other[i] = slots.first(word, other_row, other_layer);
    nodes.other_left[i] = nodes.other[i] - 1;
    if (at_left && to_left != 0)
      nodes.other_left[i] = slots.last(word - 1, other_row, other_layer, others_left[i].starts());
  });
  unite_all(Forest<Link>(tables.links, tables.first.words), contacts, nodes, queues[threadIdx.x / 32]);
}

}  // namespace gpuccl::cuda::runs
