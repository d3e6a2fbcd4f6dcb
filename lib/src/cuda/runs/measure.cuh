#pragma once

#include "cuda/runs/bundle.cuh"
#include "cuda/runs/tile_labels.cuh"
#include "cuda/runs/tile_sums.cuh"

// Statistics: area, box and coordinate sums of all components, from the pieces of their runs; the label image
// is not read and need not exist. A thread goes down a column of words and gathers pieces as long as they
// belong to one component, a table in shared memory gathers a tile, and what is in the table goes to global
// memory.
namespace gpuccl::cuda::runs {

inline constexpr int kRowsOfColumn = 4;  // of bundles

/// Sum of the numbers of the bits that are set.
__device__ inline unsigned sum_of_bits(Word word) {
  const auto with = [&](Word bits) { return static_cast<unsigned>(count_bits(word & bits)); };
  return with(0xaaaaaaaau) + 2 * with(0xccccccccu) + 4 * with(0xf0f0f0f0u) + 8 * with(0xff00ff00u) +
         16 * with(0xffff0000u);
}

/// Adds the elements of a row of a bundle, which begin at x, to `part`.
__device__ inline void add_elements(TilePart& part, Word elements, int x, int y, int z) {
  const auto area = static_cast<unsigned>(count_bits(elements));
  const int last = 31 - __clz(static_cast<int>(elements));
  part.add({area, area * static_cast<unsigned>(x) + sum_of_bits(elements), area * static_cast<unsigned>(y),
            area * static_cast<unsigned>(z)},
           {x + lowest_bit(elements), y, z}, {x + last, y, z});
}

template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads)
    measure(Frame frame, Tables<Link> tables, ComponentSums components) {
  __shared__ Word words[Tile::kBundleRows * Tile::kThreads];
  __shared__ std::uint16_t first_node[Tile::kThreads];
  __shared__ Label labels[Tile::kNodes];
  __shared__ PartTable table;
  const int t = static_cast<int>(threadIdx.x);
  const auto place = Place<Tile>::mine(frame);
  const std::int64_t tile = place.tile(frame);
  const auto own = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
#pragma unroll
  for (int i = 0; i < Tile::kBundleRows; ++i) words[i * Tile::kThreads + t] = own.row[i];
  first_node[t] = tables.first_node[tile * Tile::kThreads + t];
  for (int i = t; i < PartTable::kEntries; i += Tile::kThreads) table.clear(i);
  find_labels<Tile>(tables, tile, labels);

  const TileCorner corner{place.tile_x * Tile::kWidth, place.tile_y * Tile::kHeight,
                          place.tile_z * Tile::kDepth};
  TilePart part;
  const auto give = [&] {
    if (part.label != 0 && !table.add(part)) components.add(part, corner);
  };
  static_assert(Tile::kRows % kRowsOfColumn == 0);
  if (t < Tile::kThreads / kRowsOfColumn) {
    const int word = t % Tile::kWords;
    const int column = t / Tile::kWords;  // rows of columns, through all layers
    for (int down = 0; down < kRowsOfColumn; ++down) {
      const int bundle_row = column * kRowsOfColumn + down;
      const int at = bundle_row * Tile::kWords + word;
      const int y = bundle_row % Tile::kRows * Tile::kRowsY, z = bundle_row / Tile::kRows * Tile::kRowsZ;
      Bundle<Tile> bundle;
#pragma unroll
      for (int i = 0; i < Tile::kBundleRows; ++i) bundle.row[i] = words[i * Tile::kThreads + at];
      const Word all = bundle.all();
      int node = first_node[at];
      for (Word starts = piece_starts(all); starts != 0; starts &= starts - 1, ++node) {
        const Word piece = whole_piece(all, starts & (0u - starts));
        if (labels[node] != part.label) {
          give();
          part = {};
          part.label = labels[node];
        }
#pragma unroll
        for (int i = 0; i < Tile::kBundleRows; ++i)
          if ((bundle.row[i] & piece) != 0)
            add_elements(part, bundle.row[i] & piece, word * kWordBits, y + i % Tile::kRowsY,
                         z + i / Tile::kRowsY);
      }
    }
    give();
  }
  __syncthreads();
  for (int i = t; i < PartTable::kEntries; i += Tile::kThreads)
    if (table.label[i] != 0) components.add(table.part(i), corner);
}

}  // namespace gpuccl::cuda::runs
