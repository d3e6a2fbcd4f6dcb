#pragma once

#include "gpuccl/algorithms.hpp"

namespace gpuccl::bench {

/// One kind of access to memory, under its name in reports.
struct AccessKind {
  const char* name;  // as a key; blanks for underscores make it a title
  Accesses::Count Accesses::*count;
};

/// In the order of reports.
inline constexpr AccessKind kAccessKinds[] = {
    {"image_reads", &Accesses::image_reads},
    {"reads", &Accesses::reads},
    {"writes", &Accesses::writes},
    {"atomics", &Accesses::atomics},
    {"tile_reads", &Accesses::tile_reads},
    {"tile_writes", &Accesses::tile_writes},
    {"tile_atomics", &Accesses::tile_atomics},
};

/// Bytes that these accesses to the image and to global memory move at least: a byte of the image, a label of
/// 4 bytes, which an atomic operation reads and writes. Wider accesses count as one.
inline double least_bytes(const Accesses& of) {
  return static_cast<double>(of.image_reads) + 4.0 * static_cast<double>(of.reads + of.writes) +
         8.0 * static_cast<double>(of.atomics);
}

/// Returns least_bytes() as a multiple of the bytes of the bandwidth bound, which reads a byte and writes a
/// label for each of `elements`.
inline double multiple_of_floor_bytes(const Accesses& of, double elements) {
  return elements > 0 ? least_bytes(of) / (5 * elements) : 0;
}

/// One figure of thread blocks, under its name in reports.
struct WorkKind {
  const char* name;   // as a key
  const char* title;  // in tables
  OverBlocks Work::*figure;
};

inline constexpr WorkKind kWorkKinds[] = {
    {"steps", "steps", &Work::steps},
    {"longest_walk", "longest walk", &Work::longest},
    {"atomics", "atomics", &Work::atomics},
};

inline double mean_over_blocks(const OverBlocks& figure, const Work& work) {
  return work.blocks == 0 ? 0 : static_cast<double>(figure.sum) / static_cast<double>(work.blocks);
}

}  // namespace gpuccl::bench
