#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Pieces of runs in a word of 32 elements. Runs are cut at the ends of words, so a word has at most 16
// pieces, or 32 in a label map (Tile::kMaxPieces). A piece is identified by its rank in its word.
namespace gpuccl::cuda::runs {

using Word = std::uint32_t;
inline constexpr int kWordBits = 32;

/// Packs four bytes into bits 0 to 3: a bit is set if its byte is not zero.
__device__ inline Word pack_bytes(std::uint32_t bytes) {
  const Word lowest_bits = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) >> 7 & 0x01010101u;
  return lowest_bits * 0x01020408u >> 24;
}

/// Returns the first elements of the pieces, as bits.
__device__ inline Word piece_starts(Word word) { return word & ~(word << 1); }

/// Returns bits 0 to `bit`.
__device__ inline Word up_to(int bit) { return (2u << bit) - 1; }

/// Returns bits 0 to the lowest of `bits`.
__device__ inline Word up_to_lowest(Word bits) { return bits ^ (bits - 1); }

__device__ inline int lowest_bit(Word word) { return __ffs(static_cast<int>(word)) - 1; }

__device__ inline int highest_bit(Word word) { return 31 - __clz(static_cast<int>(word)); }

__device__ inline int count_bits(Word word) { return __popc(word); }

/// Return the rank of the last piece, and its start. `starts`: where the first pieces of a word begin.
__device__ inline int last_piece(Word starts) { return count_bits(starts) - 1; }
__device__ inline Word last_start(Word starts) { return 0x80000000u >> __clz(static_cast<int>(starts)); }

/// Returns the rank of the piece that contains element `bit`, or that ends before it.
__device__ inline int piece_at(Word starts, int bit) { return last_piece(starts & up_to(bit)); }

/// Returns all elements of the piece of `word` that begins at the only bit of `start`.
__device__ inline Word whole_piece(Word word, Word start) { return word & ~(word + start); }

/// Returns the corners at which elements of two rows touch if their columns differ by at most one. Corner c
/// lies between columns c - 1 and c; its bit is set if both words have an element next to it.
__device__ inline Word touching_corners(Word a, Word b) { return (a | a << 1) & (b | b << 1); }

/// Returns one bit for each pair of touching pieces: the lowest of their bits in `touching`.
__device__ inline Word contacts_of_pieces(Word touching, Word starts_a, Word starts_b) {
  return touching & (~(touching << 1) | starts_a | starts_b);
}

/// Removes the contacts along which `witnesses` has a bit. A contact extends from its bit in `contacts` as
/// far as `touching` continues without another contact.
__device__ inline Word without_witnesses(Word contacts, Word touching, Word witnesses) {
  Word kept = contacts & ~witnesses;
  if ((witnesses & touching) == 0) return kept;
  for (Word rest = kept; rest != 0; rest &= rest - 1) {
    const Word bit = rest & (0u - rest);
    const Word stops = (~touching | contacts) & ~(bit | (bit - 1));
    const Word along = ((stops & (0u - stops)) - 1) & ~(bit - 1);
    if ((along & witnesses) != 0) kept ^= bit;
  }
  return kept;
}

}  // namespace gpuccl::cuda::runs
