#pragma once

#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/tile_labels.cuh"
#include "cuda/runs/statistics/component_sums.cuh"
#include "cuda/runtime/launch.cuh"

// Statistics: area, box and coordinate sums of all components, from the pieces of their runs; the label image
// is not read and need not exist. A thread gathers the pieces of its word of bundles as long as they belong
// to one component, a warp the last of its threads, a table in shared memory those of a tile; what is in the
// table, and what does not fit, is added to components in global memory, which are clear when it begins.
//
// Where tiles are crowded, as in noise, components are not cleared, but hold what store_own() has stored
// (store_own.cuh), and what is wanted are the parts of components of others.
namespace gpuccl::cuda::runs {

/// Columns of a bundle of which all rows together fit one word.
template <class Tile>
inline constexpr int kColumnsOfWord = kWordBits / Tile::kBundleRows;

/// Packs these columns into a word: row i of the bundle is its field i.
template <class Tile>
struct PackedRows {
  static constexpr Word kField = ~Word{0} >> (kWordBits - kColumnsOfWord<Tile>);

  /// The fields of the rows that are the second along an axis.
  __device__ static constexpr Word second_along(int axis) {
    Word fields = 0;
    for (int i = 0; i < Tile::kBundleRows; ++i)
      if ((axis == 1 ? i % Tile::kRowsY : i / Tile::kRowsY) == 1)
        fields |= kField << i * kColumnsOfWord<Tile>;
    return fields;
  }

  /// Sum of the columns of the bits that are set.
  __device__ static unsigned sum_of_columns(Word bits) {
    constexpr Word kOdd[] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u};
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; 1 << i < kColumnsOfWord<Tile>; ++i)
      sum += static_cast<unsigned>(count_bits(bits & kOdd[i])) << i;
    return sum;
  }
};

/// Adds a piece of the word of bundles that is number `word` of bundle `row` of layer `layer` in the tile. An
/// SM counts bits a quarter as fast as it adds: where a bundle is one row, a piece is a range, else all rows
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

template <class Tile, class Link, Wanted wanted>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kAtOnce)
    measure(Frame frame, Tables<Link> tables, ComponentSums components) {
  static_assert(Tile::kDepth == 1 || (Tile::kHeight <= 16 && Tile::kDepth <= 16), "PartBoxes");
  using Table = PartTable<PartSums<kAxes<Tile>, wanted == Wanted::all ? 128 : 256>, 4>;
  __shared__ Label labels[Tile::kNodes];
  __shared__ Table table;
  const int t = static_cast<int>(threadIdx.x);
  const auto place = Place<Tile>::mine(frame);
  const std::int64_t tile = place.tile(frame);
  const auto bundle = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
  int node = tables.first_node[tile * Tile::kThreads + t];
  for (int i = t; i < Table::kEntries; i += Tile::kThreads) table.clear(i);
  find_labels<Tile, wanted>(tables, tile, labels);  // a barrier
  wait_for_launch_before();                         // which wrote the components

  const TileCorner corner{
      {place.tile_x * Tile::kWidth, place.tile_y * Tile::kHeight, place.tile_z * Tile::kDepth}};
  TilePart<kAxes<Tile>> part;
  const auto give = [&] {
    if (part.label != 0 && !table.add(part)) components.add(part, corner);
  };
  for (Word starts = bundle.starts(); starts != 0; starts &= starts - 1, ++node) {
    if (wanted == Wanted::of_others && labels[node] == 0) continue;
    const Word piece = bundle.piece(starts & (0u - starts));
    if (labels[node] != part.label) {
      give();
      part = {};
      part.label = labels[node];
    }
    add_piece<Tile>(part, bundle, piece, place.word, place.row, place.layer);
  }
  __syncwarp();
  gather_in_warp(part);
  give();
  __syncthreads();

  for (int i = t; i < Table::kEntries; i += Tile::kThreads)
    if (table.label[i] != 0) components.add(table.part(i), corner);
}

}  // namespace gpuccl::cuda::runs
