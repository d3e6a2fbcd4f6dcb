#pragma once

#include "cuda/runs/bundle.cuh"
#include "cuda/runs/component_sums.cuh"
#include "cuda/runs/tile_labels.cuh"
#include "cuda/runtime/launch.cuh"

// Statistics: area, box and coordinate sums of all components, from the pieces of their runs; the label image
// is not read and need not exist. A thread gathers the pieces of its word of bundles as long as they belong
// to one component, a warp the last of its threads, a table in shared memory those of a tile; what is in the
// table, and what does not fit, is added to components in global memory, which are clear when it begins.
//
// Where tiles are crowded, as in noise, components are not cleared, but hold what store_own() has stored
// (store_own.cuh), and what is wanted are the parts of components of others.
namespace gpuccl::cuda::runs {

/// Sum of the numbers of the bits that are set.
__device__ inline unsigned sum_of_bits(Word word) {
  const auto with = [&](Word bits) { return static_cast<unsigned>(count_bits(word & bits)); };
  return with(0xaaaaaaaau) + 2 * with(0xccccccccu) + 4 * with(0xf0f0f0f0u) + 8 * with(0xff00ff00u) +
         16 * with(0xffff0000u);
}

/// Adds the elements of a row of a bundle, which begins at (x, y, z) of the tile, to `part`.
template <int axes>
__device__ void add_elements(TilePart<axes>& part, Word elements, int x, int y, int z) {
  TilePart<axes> row;
  const int at[3] = {x, y, z};
  row.area = static_cast<unsigned>(count_bits(elements));
#pragma unroll
  for (int i = 0; i < axes; ++i) {
    row.sum[i] = row.area * static_cast<unsigned>(at[i]);
    row.min[i] = row.max[i] = at[i];
  }
  row.sum[0] += sum_of_bits(elements);
  row.min[0] += lowest_bit(elements);
  row.max[0] += 31 - __clz(static_cast<int>(elements));
  part.add(row);
}

/// Adds a piece of the word of bundles that is number `word` of bundle `row` of layer `layer` in the tile.
template <class Tile, int axes>
__device__ void add_piece(TilePart<axes>& part, const Bundle<Tile>& bundle, Word piece, int word, int row,
                          int layer) {
#pragma unroll
  for (int i = 0; i < Tile::kBundleRows; ++i)
    if ((bundle.row[i] & piece) != 0)
      add_elements(part, bundle.row[i] & piece, word * kWordBits, row * Tile::kRowsY + i % Tile::kRowsY,
                   layer * Tile::kRowsZ + i / Tile::kRowsY);
}

template <class Tile>
inline constexpr int kAxes = Tile::kDepth == 1 ? 2 : 3;

template <class Tile, class Link, Wanted wanted>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kAtOnce)
    measure(Frame frame, Tables<Link> tables, ComponentSums components) {
  using Table = PartTable<kAxes<Tile>, wanted == Wanted::all ? 128 : 256, 4>;
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
  const Word all = bundle.all();
  for (Word starts = piece_starts(all); starts != 0; starts &= starts - 1, ++node) {
    if (wanted == Wanted::of_others && labels[node] == 0) continue;
    const Word piece = whole_piece(all, starts & (0u - starts));
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
