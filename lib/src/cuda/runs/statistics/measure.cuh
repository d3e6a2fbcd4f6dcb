#pragma once

#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/tile_labels.cuh"
#include "cuda/runs/statistics/component_sums.cuh"
#include "cuda/runtime/launch.cuh"

// Statistics: area, bounding box and coordinate sums of all components, from the pieces of their runs. The
// label image is not read and need not exist. Contributions are gathered in three steps: a thread sums
// consecutive pieces of its word that belong to one component; a warp combines the last sums of its threads;
// a hash table in shared memory combines those of a tile. The table, and all that does not fit into it, is
// added to the components in global memory, which are clear at the start.
//
// In crowded tiles, as in noise, components are not cleared. They contain the contributions that
// dense_statistics() has stored (dense_statistics.cuh), and only contributions to components of other tiles
// are added.
namespace gpuccl::cuda::runs {

/// Number of columns of a bundle whose rows together fit into one word.
template <class Tile>
inline constexpr int kColumnsOfWord = kWordBits / Tile::kBundleRows;

/// Packs kColumnsOfWord columns into a word: row i of the bundle is field i.
template <class Tile>
struct PackedRows {
  static constexpr Word kField = ~Word{0} >> (kWordBits - kColumnsOfWord<Tile>);

  /// Returns the fields of the rows that are second along an axis.
  __device__ static constexpr Word second_along(int axis) {
    Word fields = 0;
    for (int i = 0; i < Tile::kBundleRows; ++i)
      if ((axis == 1 ? i % Tile::kRowsY : i / Tile::kRowsY) == 1)
        fields |= kField << i * kColumnsOfWord<Tile>;
    return fields;
  }

  /// Returns the sum of the columns of the set bits.
  __device__ static unsigned sum_of_columns(Word bits) {
    constexpr Word kOdd[] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u};
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; 1 << i < kColumnsOfWord<Tile>; ++i)
      sum += static_cast<unsigned>(count_bits(bits & kOdd[i])) << i;
    return sum;
  }
};

/// Adds a piece of word `word` of bundle `row` in layer `layer` of the tile. An SM counts bits at a quarter
/// of the rate of additions, so a piece of a bundle of one row is treated as a range, and otherwise all rows
/// are counted at once.
template <class Tile, int axes>
__device__ void add_piece(TilePart<axes>& part, const Bundle<Tile>& bundle, Word piece, int word, int row,
                          int layer) {
  const int at[3] = {word * kWordBits, row * Tile::kRowsY, layer * Tile::kRowsZ};
  TilePart<axes> added;
  if constexpr (Tile::kBundleRows == 1) {
    added.min[0] = at[0] + lowest_bit(piece);
    added.max[0] = at[0] + highest_bit(piece);
    added.area = static_cast<unsigned>(added.max[0] - added.min[0] + 1);
    added.sum[0] = static_cast<unsigned>(added.min[0] + added.max[0]) * added.area / 2;
#pragma unroll
    for (int i = 1; i < axes; ++i) {
      added.min[i] = added.max[i] = at[i];
      added.sum[i] = added.area * static_cast<unsigned>(at[i]);
    }
    part.add(added);
  } else {
    using Rows = PackedRows<Tile>;
    static_assert(Tile::kRowsY <= 2 && Tile::kRowsZ <= 2);
    for (Word rest = piece; rest != 0;) {
      const int column = lowest_bit(rest);
      const Word here = rest & Rows::kField << column;
      rest ^= here;
      Word packed = 0;
#pragma unroll
      for (int i = 0; i < Tile::kBundleRows; ++i)
        packed |= (bundle.row[i] & here) >> column << i * kColumnsOfWord<Tile>;

      added.min[0] = at[0] + column;
      added.max[0] = at[0] + highest_bit(here);
      added.area = static_cast<unsigned>(count_bits(packed));
      added.sum[0] = added.area * static_cast<unsigned>(added.min[0]) + Rows::sum_of_columns(packed);
#pragma unroll
      for (int i = 1; i < axes; ++i) {
        const Word second = packed & Rows::second_along(i);
        added.min[i] = at[i] + static_cast<int>(second == packed);
        added.max[i] = at[i] + static_cast<int>(second != 0);
        added.sum[i] = added.area * static_cast<unsigned>(at[i]) + static_cast<unsigned>(count_bits(second));
      }
      part.add(added);
    }
  }
}

template <class Tile>
inline constexpr int kAxes = Tile::kDepth == 1 ? 2 : 3;

template <class Tile, class Link, LabelScope scope>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kAtOnce)
    measure(TiledImage frame, LabelState<Link> tables, ComponentSums components) {
  static_assert(Tile::kDepth == 1 || (Tile::kHeight <= 16 && Tile::kDepth <= 16), "PartBoxes");
  using Table = PartTable<PartSums<kAxes<Tile>, scope == LabelScope::all ? 128 : 256>, 4>;
  __shared__ Label labels[Tile::kNodes];
  __shared__ Table table;
  const int t = static_cast<int>(threadIdx.x);
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const auto bundle = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
  int node = tables.first_node[tile * Tile::kThreads + t];
  for (int i = t; i < Table::kEntries; i += Tile::kThreads) table.clear(i);
  find_labels<Tile, scope>(tables, tile, labels);  // waits for the block
  wait_for_launch_before();                        // the launch before wrote the components

  const TileCorner corner{
      {place.tile_x * Tile::kWidth, place.tile_y * Tile::kHeight, place.tile_z * Tile::kDepth}};
  TilePart<kAxes<Tile>> part;
  const auto flush = [&] {
    if (part.label != 0 && !table.add(part)) components.add(part, corner);
  };
  for (Word starts = bundle.starts(); starts != 0; starts &= starts - 1, ++node) {
    if (scope == LabelScope::foreign && labels[node] == 0) continue;
    const Word piece = bundle.piece(starts & (0u - starts));
    if (labels[node] != part.label) {
      flush();
      part = {};
      part.label = labels[node];
    }
    add_piece<Tile>(part, bundle, piece, place.word, place.row, place.layer);
  }
  __syncwarp();
  gather_in_warp(part);
  flush();
  __syncthreads();

  for (int i = t; i < Table::kEntries; i += Tile::kThreads)
    if (table.label[i] != 0) components.add(table.part(i), corner);
}

}  // namespace gpuccl::cuda::runs
