#pragma once

#include "cuda/device/tile_sums.cuh"
#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/tile_labels.cuh"

// Kernels of clean_on_device() that look at the pieces of a tile. Bits of components are in the order of
// labels: that of label L is bit L - 1.
namespace gpuccl::cuda::runs {

/// Calls visit(start, index) for each piece of this thread's word, where `index` is that of its component.
template <class Tile, class Visit>
__device__ void for_each_piece(const Bundle<Tile>& bundle, int node, const Label* labels, Visit visit) {
  for (Word starts = bundle.starts(); starts != 0; starts &= starts - 1, ++node)
    visit(starts & (0u - starts), labels[node] - 1);
}

/// Returns the bits of a word that are in the image.
__device__ inline Word word_of_width(const TiledImage& frame, int word) {
  const int left = frame.width - word * kWordBits;
  return left < kWordBits ? (Word{1} << left) - 1 : ~Word{0};
}

/// Elements of a component in a tile, as TilePart.
struct TileArea {
  Label label = 0;
  unsigned area = 0;

  __device__ void add(const TileArea& other) { area += other.area; }
  __device__ TileArea of_lane_beside(int distance) const {
    return {0, __shfl_xor_sync(kAllLanes, area, distance)};
  }
};

/// As PartSums.
struct TileAreas {
  static constexpr int kEntries = 256;
  Label label[kEntries];
  unsigned area[kEntries];

  __device__ void add(unsigned i, const TileArea& part) { atomicAdd(area + i, part.area); }
};

/// Adds the elements of each component to its entry of `areas`.
template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads)
    sum_areas(TiledImage frame, LabelState<Link> tables, std::uint32_t* areas) {
  using Table = PartTable<TileAreas, 4>;
  __shared__ Label labels[Tile::kNodes];
  __shared__ Table table;
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const auto bundle = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
  for (unsigned i = threadIdx.x; i < Table::kEntries; i += Tile::kThreads) table.label[i] = table.area[i] = 0;
  find_labels<Tile>(tables, tile, labels);  // waits for the block

  TileArea part;
  const auto flush = [&] {
    if (part.label != 0 && !table.add(part)) atomicAdd(areas + part.label - 1, part.area);
  };
  const int node = tables.first_node[tile * Tile::kThreads + threadIdx.x];
  for_each_piece(bundle, node, labels, [&](Word start, Label index) {
    const Word piece = bundle.piece(start);
    if (index + 1 != part.label) {
      flush();
      part = {index + 1, 0};
    }
    if constexpr (Tile::kOfValues) {
      part.area += static_cast<unsigned>(count_bits(piece));
    } else {
#pragma unroll
      for (const Word row : bundle.row) part.area += static_cast<unsigned>(count_bits(row & piece));
    }
  });
  __syncwarp();
  gather_in_warp(part);
  flush();
  __syncthreads();
  for (unsigned i = threadIdx.x; i < Table::kEntries; i += Tile::kThreads)
    if (table.label[i] != 0) atomicAdd(areas + table.label[i] - 1, table.area[i]);
}

/// Sets the bits of components that have an element in `seeds`, words like those of the image, or, without
/// seeds, at the border: in 2D that of the slice.
template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads)
    mark_components(TiledImage frame, LabelState<Link> tables, const Word* seeds, Word* marks) {
  __shared__ Label labels[Tile::kNodes];
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const auto bundle = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
  Word found = 0;
  for_each_row<Tile>(frame, place.image_word(), place.y(), place.z(), [&](int i, std::int64_t index) {
    const int y = place.y() + i % Tile::kRowsY, z = place.z() + i / Tile::kRowsY;
    Word wanted = 0;
    if (seeds != nullptr) {
      wanted = seeds[index];
    } else if (y == 0 || y == frame.height - 1 ||
               (is_3d(Tile::connectivity) && (z == 0 || z == frame.depth - 1))) {
      wanted = ~Word{0};
    } else {
      const int last = frame.width - 1;
      if (place.image_word() == 0) wanted |= 1;
      if (place.image_word() == last / kWordBits) wanted |= 1u << last % kWordBits;
    }
    found |= wanted & (Tile::kOfValues ? bundle.all() : bundle.row[Tile::kOfValues ? 0 : i]);
  });
  if (__syncthreads_or(found != 0) == 0) return;
  find_labels<Tile>(tables, tile, labels);
  const int node = tables.first_node[tile * Tile::kThreads + threadIdx.x];
  for_each_piece(bundle, node, labels, [&](Word start, Label index) {
    const Word bit = 1u << index % kWordBits;
    if ((bundle.piece(start) & found) != 0 && (plain_load(marks + index / kWordBits) & bit) == 0)
      atomicOr(marks + index / kWordBits, bit);
  });
}

/// Writes the elements of components whose bits are set to `bits`, words like those of the image, and may be
/// these. Of a complement (`fills`), writes the elements of the image and of the components whose bits are
/// set.
template <class Tile, class Link, bool fills>
__global__ void __launch_bounds__(Tile::kThreads)
    keep_pieces(TiledImage frame, LabelState<Link> tables, const Word* kept, Word* bits) {
  __shared__ Label labels[Tile::kNodes];
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const auto bundle = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
  find_labels<Tile>(tables, tile, labels);
  Word pieces = 0;
  const int node = tables.first_node[tile * Tile::kThreads + threadIdx.x];
  for_each_piece(bundle, node, labels, [&](Word start, Label index) {
    if ((kept[index / kWordBits] >> index % kWordBits & 1) != 0) pieces |= bundle.piece(start);
  });
  for_each_row<Tile>(frame, place.image_word(), place.y(), place.z(), [&](int i, std::int64_t index) {
    const Word row = Tile::kOfValues ? bundle.all() : bundle.row[Tile::kOfValues ? 0 : i];
    bits[index] = fills ? word_of_width(frame, place.image_word()) & ~(row & ~pieces) : row & pieces;
  });
}

}  // namespace gpuccl::cuda::runs
