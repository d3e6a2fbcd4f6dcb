#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpuccl {

/// Accesses to memory, each an instruction of one thread, of however many bytes. Links and labels are one:
/// "global" are those of the whole image, "tile" those that a thread block keeps in shared memory.
struct Accesses {
  using Count = unsigned long long;  // what CUDA's atomics are declared for
  Count image_reads = 0;
  Count reads = 0, writes = 0, atomics = 0;                 // global
  Count tile_reads = 0, tile_writes = 0, tile_atomics = 0;  // in shared memory

  Accesses& operator+=(const Accesses& other) {
    image_reads += other.image_reads;
    reads += other.reads;
    writes += other.writes;
    atomics += other.atomics;
    tile_reads += other.tile_reads;
    tile_writes += other.tile_writes;
    tile_atomics += other.tile_atomics;
    return *this;
  }
};

/// What the threads of one thread block did in a launch: steps along links, those of the thread that took the
/// most, and atomic operations on links.
struct BlockWork {
  std::uint32_t steps = 0, longest = 0, atomics = 0;
};

/// A figure of thread blocks.
struct OverBlocks {
  std::uint64_t sum = 0, most = 0;

  OverBlocks& operator+=(const OverBlocks& other) {
    sum += other.sum;
    most = std::max(most, other.most);
    return *this;
  }
};

/// BlockWork of many thread blocks.
struct Work {
  std::uint64_t blocks = 0;
  OverBlocks steps = {}, longest = {}, atomics = {};

  Work& operator+=(const Work& other) {
    blocks += other.blocks;
    steps += other.steps;
    longest += other.longest;
    atomics += other.atomics;
    return *this;
  }
};

/// Time of one named step of an algorithm; a phase inside a loop adds up and counts its launches. The rest is
/// of counting_algorithms().
struct PhaseTime {
  std::string phase;  // the paper's name for it
  double milliseconds = 0;
  int launches = 0;
  Accesses accesses = {};
  Work work = {};
  std::vector<BlockWork> blocks = {};  // of the first launch, row by row
  unsigned blocks_a_row = 0;

  /// Adds other launches of the same phase.
  PhaseTime& operator+=(const PhaseTime& other) {
    milliseconds += other.milliseconds;
    launches += other.launches;
    accesses += other.accesses;
    work += other.work;
    return *this;
  }
};
using PhaseTimes = std::vector<PhaseTime>;

inline void add_to(PhaseTimes& times, PhaseTime launches) {
  for (PhaseTime& time : times)
    if (time.phase == launches.phase) {
      time += launches;
      return;
    }
  times.push_back(std::move(launches));
}

}  // namespace gpuccl
