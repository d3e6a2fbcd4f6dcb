#include "cuda/device/tile_sums.cuh"
#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/forest.cuh"
#include "cuda/runs/core/tile_labels.cuh"
#include "cuda/runs/statistics/component_memory.cuh"
#include "cuda/runs/statistics/row_around.cuh"
#include "cuda/runs/statistics/sums_part.cuh"
#include "measure/euler_number.hpp"
#include "measure/neighbors.hpp"

// Sums for measures of shape and topology. A thread processes its word of a bundle, one component at a time,
// row by row, together with the rows around. Contributions are added up as in measure.cuh. The formulas are
// those of the CPU (lib/src/measure).
namespace gpuccl::cuda::runs {
namespace {

/// Labels of all pieces: of this tile from shared memory, of other tiles from their links.
template <class Tile, class Link>
struct LabelsOfPieces {
  const TiledImage& frame;
  const LabelState<Link>& tables;
  std::int64_t tile;
  const Label* labels;  // of the nodes of the tile

  /// Returns the label of the piece that contains element `bit` of a word. Requires bundles of one row.
  __device__ Label at(int word, int y, int z, Word starts, int bit) const {
    static_assert(Tile::kBundleRows == 1);
    const std::int64_t other = frame.tile(word / Tile::kWords, y / Tile::kRows, z / Tile::kLayers);
    const int thread =
        word % Tile::kWords + Tile::kWords * (y % Tile::kRows + Tile::kRows * (z % Tile::kLayers));
    const int node = tables.first_node[other * Tile::kThreads + thread] + piece_at(starts, bit);
    if (other == tile) return labels[node];
    return label_of(tables, first_of(tables.links, static_cast<Link>(other * Tile::kNodes + node)));
  }
};

/// Row (`dy`, `dz`) of a bundle, with the functions of measuring::LabeledRow for the rows around.
template <class Tile, class Link>
struct RowOfBundle {
  const LabelsOfPieces<Tile, Link>& pieces;
  const RowsAround<Tile>& around;
  int word, y, z;  // of the bundle in the image
  int dy, dz;

  __device__ const RowAround& bits(int by_y = 0, int by_z = 0) const {
    using Rows = RowsAround<Tile>;
    return around.rows[dz + by_z + Rows::kBefore][dy + by_y + Rows::kAbove];
  }
  __device__ RowAround edges(int by_y) const { return bits(by_y).edges(bits(by_y - 1), bits(by_y + 1)); }

  /// Returns the `elements` whose neighbor in direction `to` has the label. Visits the pieces that contain
  /// the neighbors.
  template <measuring::Direction to>
  __device__ Word of_label(Word elements, int, Label label) const {
    const int other_y = y + dy + to.dy, other_z = z + dz + to.dz;
    Word same = 0;
    for (Word rest = elements; rest != 0;) {
      const Word first = rest & (0u - rest);
      const int x = word * kWordBits + lowest_bit(first) + to.dx, other = x / kWordBits, bit = x % kWordBits;
      const Word row = pieces.frame.words[pieces.frame.word_index(other, other_y, other_z)];
      const Word starts = piece_starts(row);
      Word reached = first;
      if (other == word) {
        const Word piece = whole_piece(row, last_start(starts & up_to(bit)));
        reached = rest & (to.dx == 0 ? piece : to.dx < 0 ? piece << 1 : piece >> 1);
      }
      if (pieces.at(other, other_y, other_z, starts, bit) == label) same |= reached;
      rest ^= reached;
    }
    return same;
  }
};

/// Adds the sums of coordinates, and of products of two coordinates, of `elements` of a word, run by run. (x,
/// y, z): coordinates of bit 0.
template <bool is_volume>
__device__ void add_coordinates(SumsPart<is_volume>& part, Word elements, unsigned x, unsigned y,
                                unsigned z) {
  using Values = PartValues<is_volume>;
  unsigned area = 0, sum = 0, square = 0;
  for (Word rest = elements; rest != 0;) {
    const Word run = whole_piece(rest, rest & (0u - rest));
    rest ^= run;
    const auto n = static_cast<unsigned>(count_bits(run)), first = x + static_cast<unsigned>(lowest_bit(run));
    const unsigned steps = n * (n - 1) / 2;  // 0 + 1 + ... + n - 1
    area += n;
    sum += n * first + steps;
    square += (n * first + 2 * steps) * first + steps * (2 * n - 1) / 3;
  }
  const unsigned sums[] = {sum, area * y, area * z};
  part.values[Values::kArea] += area;
#pragma unroll
  for (int i = 0; i < Values::kAxes; ++i) part.values[Values::kSums + i] += sums[i];
  const unsigned products[] = {square, sum * y, area * y * y, sum * z, area * y * z, area * z * z};
#pragma unroll
  for (int i = 0; i < Values::kProducts; ++i) part.values[Values::kMoments + i] += products[i];
}

/// Adds the contribution of `here`, elements of a row that belong to the part's component, to the requested
/// sums.
template <class Tile, class Row>
__device__ void add_row(SumsPart<is_3d(Tile::connectivity)>& part, const Row& row, Word here,
                        const SumsLayout& layout) {
  constexpr bool kIsVolume = is_3d(Tile::connectivity);
  constexpr int kReach = max_axes(Tile::connectivity);
  using Values = PartValues<kIsVolume>;
  if constexpr (!kIsVolume) {
    if (layout.perimeter >= 0) {
      const RowAround edges = row.edges(0);
      if (const Word at_edge = edges[0] & here; at_edge != 0) {
        const measuring::EdgeKinds<Word> kinds =
            measuring::edge_kinds<kReach>(row, row.edges(-1), edges, row.edges(1), 0, at_edge, part.label);
        part.values[Values::kPerimeter] += static_cast<unsigned>(count_bits(kinds.straight));
        part.values[Values::kPerimeter + 1] += static_cast<unsigned>(count_bits(kinds.diagonal));
        part.values[Values::kPerimeter + 2] += static_cast<unsigned>(count_bits(kinds.bent));
      }
    }
  }
  if (layout.crofton >= 0) {
    const auto add_pairs = [&](std::size_t i, Word joined) {
      part.values[Values::kCrofton + i] += static_cast<unsigned>(count_bits(joined));
    };
    if constexpr (kIsVolume) {
      measuring::for_each_direction<measuring::kDirectionsOfVolume, kReach>(row, 0, here, part.label,
                                                                            add_pairs);
    } else {
      measuring::for_each_direction<measuring::kDirectionsOfImage, kReach>(row, 0, here, part.label,
                                                                           add_pairs);
    }
  }
  if (layout.euler >= 0) {
    constexpr int kBefore = kIsVolume ? -1 : 0;
    const measuring::EulerRows<RowAround> rows{
        row.bits(),           row.bits(-1),         row.bits(-1, kBefore),
        row.bits(0, kBefore), row.bits(1, kBefore), row.bits(1)};
    part.values[Values::kEuler] +=
        static_cast<unsigned>(measuring::euler_number_of<Tile::connectivity>(rows, 0, here));
  }
}

/// Target number of thread blocks per SM. In 3D threads need twice as many registers, and spilling is slower.
template <class Tile>
inline constexpr int kSumsAtOnce = Tile::kDepth == 1 ? 4 : 1;

template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads, kSumsAtOnce<Tile>)
    gather_sums_kernel(TiledImage frame, LabelState<Link> tables,
                       GlobalSums<is_3d(Tile::connectivity)> sums) {
  constexpr bool kIsVolume = is_3d(Tile::connectivity);
  using Table = PartTable<SharedSums<kIsVolume, 128>, 4>;
  __shared__ Label labels[Tile::kNodes];
  __shared__ Table table;
  const int t = static_cast<int>(threadIdx.x);
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const int word = place.image_word(), y = place.y(), z = place.z();
  const auto bundle = Bundle<Tile>::load(frame, word, y, z);
  const Word starts = bundle.starts();
  const auto around = RowsAround<Tile>::load(frame, word, y, z);
  const int first_node = tables.first_node[tile * Tile::kThreads + t];
  for (int i = t; i < Table::kEntries; i += Tile::kThreads) table.clear(i);
  find_labels<Tile>(tables, tile, labels);  // waits for the block
  wait_for_launch_before();                 // the launch before has cleared the sums

  const LabelsOfPieces<Tile, Link> pieces{frame, tables, tile, labels};
  const int corner[3] = {place.tile_x * Tile::kWidth, place.tile_y * Tile::kHeight,
                         place.tile_z * Tile::kDepth};
  SumsPart<kIsVolume> part;
  const auto flush = [&] {
    if (part.label != 0 && !table.add(part)) sums.add(part, corner);
  };
  for (Word rest = starts; rest != 0;) {
    const auto label_of_piece = [&](Word start) {
      return labels[first_node + count_bits(starts & (start - 1))];
    };
    const Label label = label_of_piece(rest & (0u - rest));
    Word elements = 0, others = 0;  // of this component; first elements of pieces of others
    for (; rest != 0; rest &= rest - 1) {
      const Word start = rest & (0u - rest);
      if (label_of_piece(start) == label)
        elements |= bundle.piece(start);
      else
        others |= start;
    }
    rest = others;
    if (label != part.label) {
      flush();
      part = {};
      part.label = label;
    }
#pragma unroll
    for (int i = 0; i < Tile::kBundleRows; ++i) {
      const int dy = i % Tile::kRowsY, dz = i / Tile::kRowsY;
      const RowOfBundle<Tile, Link> row{pieces, around, word, y, z, dy, dz};
      const Word here = bundle.row[i] & elements;
      if (here == 0) continue;
      if (sums.layout.moments >= 0)
        add_coordinates(part, here, static_cast<unsigned>(word * kWordBits - corner[0]),
                        static_cast<unsigned>(y + dy - corner[1]), static_cast<unsigned>(z + dz - corner[2]));
      add_row<Tile>(part, row, here, sums.layout);
    }
  }
  __syncwarp();
  add_up_in_warp(part);
  flush();
  __syncthreads();

  for (int i = t; i < Table::kEntries; i += Tile::kThreads)
    if (table.label[i] != 0) sums.add(table.part(i), corner);
}

}  // namespace

template <Connectivity connectivity, class Link>
void gather_sums(const TiledImage& whole, const LabelState<Link>& tables, const SumsLayout& layout,
                 unsigned long long* sums, PhaseClock& phase) {
  using Tile = TileFor<connectivity>;
  for_all_tiles<Tile>(whole, [&](const TiledImage& part, LaunchShape shape) {
    shape.early = true;
    phase("Statistics: sums", gather_sums_kernel<Tile, Link>, shape, part, tables,
          GlobalSums<is_3d(connectivity)>{sums, layout});
  });
}

#define GPUCCL_INSTANTIATE(connectivity)                                                                  \
  template void gather_sums<Connectivity::connectivity>(const TiledImage&, const LabelState<NarrowLink>&, \
                                                        const SumsLayout&, unsigned long long*,           \
                                                        PhaseClock&);                                     \
  template void gather_sums<Connectivity::connectivity>(const TiledImage&, const LabelState<WideLink>&,   \
                                                        const SumsLayout&, unsigned long long*, PhaseClock&)
GPUCCL_INSTANTIATE(c4);
GPUCCL_INSTANTIATE(c8);
GPUCCL_INSTANTIATE(c6);
GPUCCL_INSTANTIATE(c18);
GPUCCL_INSTANTIATE(c26);
#undef GPUCCL_INSTANTIATE

}  // namespace gpuccl::cuda::runs
