#pragma once

#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/tile_labels.cuh"
#include "cuda/runtime/launch.cuh"
#include "gpuccl/labels.hpp"

// WriteLabels: writes each label once, with streaming stores that bypass the caches as far as possible. A
// lane writes four adjacent columns of all rows of a bundle. In a binary image, these belong to at most two
// pieces.
namespace gpuccl::cuda::runs {

/// Stores four adjacent labels at once.
__device__ inline void store_four(Label* to, const Label (&label)[4]) {
  __stcs(reinterpret_cast<uint4*>(to), make_uint4(label[0], label[1], label[2], label[3]));
}
__device__ inline void store_four(std::uint16_t* to, const Label (&label)[4]) {
  __stcs(reinterpret_cast<uint2*>(to), make_uint2(label[0] | label[1] << 16, label[2] | label[3] << 16));
}

/// Output in consecutive rows with the pitch of the bits.
struct PaddedRows {
  Label* data;

  __device__ void store(const TiledImage& frame, int x, int y, int z, const Label (&label)[4]) const {
    store_four(data + frame.row(y, z) * frame.pitch * kWordBits + x, label);
  }
};

/// Output into the caller's memory with any pitches, which count labels. Only the width of the image is
/// written. A label that T cannot represent is replaced by the largest value of T.
template <class T>
struct PitchedRows {
  T* data;
  std::int64_t row_pitch, slice_pitch;
  bool in_fours;  // whether address and pitches are aligned for four labels at once

  __device__ void store(const TiledImage& frame, int x, int y, int z, const Label (&label)[4]) const {
    T* const to = data + z * slice_pitch + y * row_pitch + x;
    if (in_fours && x <= frame.width - 4) {
      store_four(to, {held(label[0]), held(label[1]), held(label[2]), held(label[3])});
      return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (i < frame.width - x) to[i] = static_cast<T>(held(label[i]));
  }

 private:
  __device__ static Label held(Label label) {
    constexpr Label kLargest = static_cast<T>(~Label{0});
    return label < kLargest ? label : kLargest;
  }
};

/// Finds the labels of four columns, from bit `shift` of a word on. `first_node`: node of the word's first
/// piece.
template <class Tile>
__device__ void find_four(const Bundle<Tile>& bundle, int shift, const std::uint16_t& first_node,
                          const Label* labels, Label (&label)[4]) {
  const Word all = bundle.all();
  const unsigned four = all >> shift & 15;
  unsigned of_second = 0;
  Label first = 0, second = 0;
  if (four != 0) {
    const Word starts = piece_starts(all);
    const int bit = shift + lowest_bit(four);
    const int node = first_node + piece_at(starts, bit);
    const unsigned more = (starts & ~up_to(bit)) >> shift & 15;
    first = second = labels[node];
    if (more != 0) {
      second = labels[node + 1];
      of_second = four & (0u - more);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) label[i] = (of_second >> i & 1) != 0 ? second : first;
}

/// In a label map, four elements may belong to four pieces.
template <class Tile>
requires(Tile::kOfValues) __device__
    void find_four(const Bundle<Tile>& bundle, int shift, const std::uint16_t& first_node,
                   const Label* labels, Label (&label)[4]) {
  const Word starts = bundle.starts();
  const unsigned set = bundle.all() >> shift, begins = starts >> shift;
  int node = first_node + last_piece(starts & ((1u << shift) - 1));
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    node += static_cast<int>(begins >> i & 1);
    const bool of_piece_before = i > 0 && (begins >> i & 1) == 0;
    label[i] = (set >> i & 1) == 0 ? 0 : of_piece_before ? label[i > 0 ? i - 1 : 0] : labels[node];
  }
}

template <class Tile, class Link, class Rows>
__global__ void __launch_bounds__(Tile::kThreads)
    write_labels(TiledImage frame, LabelState<Link> tables, Rows out) {
  __shared__ Word words[Bundle<Tile>::kWordsOfPieces * Tile::kThreads];
  __shared__ std::uint16_t first_node[Tile::kThreads];
  __shared__ Label labels[Tile::kNodes];
  const int t = static_cast<int>(threadIdx.x);
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const auto own = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z());
#pragma unroll
  for (int i = 0; i < Bundle<Tile>::kWordsOfPieces; ++i) words[i * Tile::kThreads + t] = own.row[i];
  wait_for_launch_before();
  first_node[t] = tables.first_node[tile * Tile::kThreads + t];
  find_labels<Tile>(tables, tile, labels);

  constexpr int kGroups = Tile::kWords / 4;  // groups of four words: one row of a group is written by a warp
  const int lane = t % 32;
  const int shift = lane % 8 * 4;
#pragma unroll 2
  for (int group = t / 32; group < Tile::kThreads / 4; group += Tile::kWarps) {
    const int word = group * 4 + lane / 8;
    Bundle<Tile> bundle;
#pragma unroll
    for (int i = 0; i < Bundle<Tile>::kWordsOfPieces; ++i) bundle.row[i] = words[i * Tile::kThreads + word];
    Label label[4];
    find_four(bundle, shift, first_node[word], labels, label);

    const int x = place.tile_x * Tile::kWidth + group % kGroups * 128 + lane * 4;
    const int row = group / kGroups % Tile::kRows, layer = group / kGroups / Tile::kRows;
#pragma unroll
    for (int i = 0; i < Tile::kBundleRows; ++i) {
      const int y = place.tile_y * Tile::kHeight + row * Tile::kRowsY + i % Tile::kRowsY;
      const int z = place.tile_z * Tile::kDepth + layer * Tile::kRowsZ + i / Tile::kRowsY;
      if (!frame.has_word(x / kWordBits) || !frame.has_row(y, z)) continue;
      const unsigned set = bundle.row[i] >> shift;
      out.store(frame, x, y, z,
                {(set & 1) != 0 ? label[0] : 0, (set & 2) != 0 ? label[1] : 0, (set & 4) != 0 ? label[2] : 0,
                 (set & 8) != 0 ? label[3] : 0});
    }
  }
}

// WriteRuns: writes one label per run of a bundle, in the order of runs on the host (run_starts.cuh). It
// replaces WriteLabels if labels go to the host, which has the bits: 4 bytes per run instead of 4 bytes per
// element are written and transferred. All pieces of a word begin a run, except that the first one may
// continue a run of the word to the left.
template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads)
    write_runs(TiledImage frame, LabelState<Link> tables, CountedBits starts, Label* labels_of_runs) {
  __shared__ Label labels[Tile::kNodes];
  const auto place = WordPosition<Tile>::of_this_thread(frame);
  const std::int64_t tile = place.tile(frame);
  const Word all = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z()).all();
  wait_for_launch_before();
  const int first_node = tables.first_node[tile * Tile::kThreads + threadIdx.x];
  find_labels<Tile>(tables, tile, labels);
  if (all == 0) return;  // also true for words outside of the image

  const std::int64_t bundles_a_layer = (frame.height - 1) / Tile::kRowsY + 1;
  const std::int64_t bundle = place.z() / Tile::kRowsZ * bundles_a_layer + place.y() / Tile::kRowsY;
  const std::int64_t word = bundle * frame.pitch + place.image_word();
  const Word begins = starts.words[word];
  if (begins == 0) return;
  const int goes_on = static_cast<int>(all & ~begins & 1u);
  Label* const to = labels_of_runs + starts.up_to(word * kWordBits + lowest_bit(begins)) - 1;
  const int runs = count_bits(begins);
  for (int i = 0; i < runs; ++i) to[i] = labels[first_node + goes_on + i];
}

}  // namespace gpuccl::cuda::runs
