#pragma once

#include "cuda/runs/contacts.cuh"
#include "cuda/runs/forest.cuh"
#include "cuda/runs/tables.cuh"

// BoundaryMerge: the contacts that LocalMerge could not see, because they cross the edge of a tile. One
// thread a word of bundles that lies at a face of its tile:
//
//     left     word 0 of every row: seams to the tile on the left, and whatever else crosses
//     top      row 0                side A, C above
//     front    layer 0   (3D)       sides B, C, D in the layer before
//     bottom   last row  (3D)       side D, which is one row further down
namespace gpuccl::cuda::runs {

template <class Tile>
struct Faces {
  static constexpr int kLeft = Tile::kRows * Tile::kLayers;
  static constexpr int kTop = Tile::kWords * Tile::kLayers;
  static constexpr int kFront = Tile::kSides > 1 ? Tile::kWords* Tile::kRows : 0;
  static constexpr int kBottom = Tile::kSides > 2 ? Tile::kWords* Tile::kLayers : 0;
  static constexpr int kOthers = kTop + kFront + kBottom;
  static constexpr int kAll = kLeft + kOthers;

  /// Word number `i` of those that a launch looks at: first the left faces of all tiles, so that a warp has
  /// one face, then the rest of each tile. Sets `there` to false where another face has the word already.
  __device__ static Place<Tile> word(const Frame& frame, std::int64_t i, bool& there) {
    const std::int64_t tiles = static_cast<std::int64_t>(frame.tiles_x) * frame.tiles_y * frame.tiles_z;
    std::int64_t tile;
    int word = 0, row = 0, layer = 0;
    if (i < tiles * kLeft) {
      tile = i / kLeft;
      const int j = static_cast<int>(i % kLeft);
      row = j % Tile::kRows;
      layer = j / Tile::kRows;
    } else {
      i -= tiles * kLeft;
      tile = i / kOthers;
      int j = static_cast<int>(i % kOthers);
      if (j < kTop) {
        word = j % Tile::kWords;
        layer = j / Tile::kWords;
        there = word != 0;
      } else if (j < kTop + kFront) {
        j -= kTop;
        word = j % Tile::kWords;
        row = j / Tile::kWords;
        there = word != 0 && row != 0;
      } else {
        j -= kTop + kFront;
        word = j % Tile::kWords;
        row = Tile::kRows - 1;
        layer = j / Tile::kWords;
        there = word != 0 && layer != 0;
      }
    }
    there = there && tile < tiles;
    if (!there) return {};
    const int tile_row = static_cast<int>(tile / frame.tiles_x);
    return {static_cast<int>(tile % frame.tiles_x),
            tile_row % frame.tiles_y,
            tile_row / frame.tiles_y,
            word,
            row,
            layer};
  }
};

/// Finds the slot of a piece anywhere in the image, by what LocalMerge left in the tables.
template <class Tile, class Link>
struct Slots {
  const Frame& frame;
  const std::uint16_t* first_node;

  /// Of the first piece of word `word` of the bundle in row `row` and layer `layer` of the image.
  __device__ Link first(int word, int row, int layer) const {
    const std::int64_t tile = frame.tile(word / Tile::kWords, row / Tile::kRows, layer / Tile::kLayers);
    const int thread =
        (layer % Tile::kLayers * Tile::kRows + row % Tile::kRows) * Tile::kWords + word % Tile::kWords;
    return static_cast<Link>(tile * Tile::kNodes + first_node[tile * Tile::kThreads + thread]);
  }
  /// Of the last piece of that word, whose elements are `elements`.
  __device__ Link last(int word, int row, int layer, Word elements) const {
    return first(word, row, layer) + static_cast<Link>(count_bits(piece_starts(elements)) - 1);
  }
};

/// Whether this lane is the first of those in its warp that want this pair.
template <class Link>
__device__ bool first_of_equals(const Pair<Link>& pair, bool wanted) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned a = __match_any_sync(~0u, wanted ? pair.a : static_cast<Link>(lane));
  const unsigned b = __match_any_sync(~0u, wanted ? pair.b : static_cast<Link>(lane));
  const unsigned same = a & b & __ballot_sync(~0u, wanted);
  return wanted && lowest_bit(same) == static_cast<int>(lane);
}

template <class Tile, class Link>
__global__ void __launch_bounds__(128) boundary_merge(Frame frame, Tables<Link> tables) {
  bool there = true;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Place<Tile> place = Faces<Tile>::word(frame, i, there);
  const int word = place.image_word(), y = place.y(), z = place.z();
  there = there && word < frame.pitch && frame.has_row(y, z);

  Bundle<Tile> own{}, left{}, others[Tile::kOthers]{}, others_left[Tile::kOthers]{};
  if (there) {
    own = Bundle<Tile>::load(frame, word, y, z);
    left = Bundle<Tile>::load(frame, word - 1, y, z);
    for_each_index<Tile::kOthers>([&]<int i>() {
      const int other_y = y + other_dy(i) * Tile::kRowsY, other_z = z + other_dz(i) * Tile::kRowsZ;
      others[i] = Bundle<Tile>::load(frame, word, other_y, other_z);
      others_left[i] = Bundle<Tile>::load(frame, word - 1, other_y, other_z);
    });
  }

  const bool first_word = place.word == 0;
  using Found = Contacts<Tile>;
  Found contacts = find_contacts(own, others, last_bits(left, others_left));
  unsigned kept = first_word ? Found::left_to_own() : 0;
  const Slots<Tile, Link> slots{frame, tables.first_node};
  const int row = place.tile_y * Tile::kRows + place.row, layer = place.tile_z * Tile::kLayers + place.layer;
  Nodes<Tile, Link> nodes{};
  nodes.starts = piece_starts(own.all());
  for_each_index<Tile::kSides>([&]<int i>() {
    const int other_row = place.row + other_dy(i);
    const bool crosses = other_row < 0 || other_row >= Tile::kRows || place.layer + other_dz(i) < 0;
    if (!crosses) contacts.at_side[i] = 0;
    // Of a contact along several words of the two tiles, the leftmost is enough.
    if (!first_word && (contacts.continued >> i & 1) != 0) contacts.at_side[i] &= ~1u;
    if (crosses || first_word) kept |= Found::own_to_other_left(i) | Found::left_to_other(i);

    nodes.other_starts[i] = piece_starts(others[i].all());
    if (contacts.at_side[i] != 0 || (contacts.seams & kept & Found::left_to_other(i)) != 0)
      nodes.other[i] = slots.first(word, row + other_dy(i), layer + other_dz(i));
    if ((contacts.seams & kept & Found::own_to_other_left(i)) != 0)
      nodes.other_left[i] =
          slots.last(word - 1, row + other_dy(i), layer + other_dz(i), others_left[i].all());
  });
  contacts.seams &= kept;
  if (contacts.any() && own.all() != 0) nodes.own = slots.first(word, row, layer);
  if (contacts.seams != 0 && left.all() >> 31 != 0) nodes.left = slots.last(word - 1, row, layer, left.all());

  // Neighbors along a face mostly ask for the union of the same two components: one of a warp does it.
  const Forest<Link> forest(tables.links, tables.first_bits);
  Pair<Link> before{};
  while (__any_sync(~0u, contacts.any())) {
    Pair<Link> pair{};
    if (contacts.any()) {
      const auto pieces = take_contact(contacts, nodes);
      pair = {forest.step(pieces.a), forest.step(pieces.b)};
    }
    const bool wanted = pair.a != pair.b && (pair.a != before.a || pair.b != before.b);
    before = pair;
    if (first_of_equals(pair, wanted)) forest.unite(pair.a, pair.b);
  }
}

}  // namespace gpuccl::cuda::runs
