#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpuccl {

/// Memory accesses; each is one instruction of one thread, of any width. Counts labels and parent
/// pointers, in global memory and in the shared memory of thread blocks ("tile").
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

/// Work of one thread block in a launch: find steps, those of the slowest thread, and atomic
/// operations.
struct BlockWork {
  std::uint32_t steps = 0, longest = 0, atomics = 0;
};

/// Sum and maximum over thread blocks.
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

/// Time of one phase. Phases in a loop add up and count launches. Other members are filled by
/// counting_algorithms().
struct PhaseTime {
  std::string phase;  // name of the paper
  double milliseconds = 0;
  int launches = 0;
  Accesses accesses = {};
  Work work = {};
  std::vector<BlockWork> blocks = {};  // of the first launch, row by row
  unsigned blocks_a_row = 0;

  /// Adds further launches of the same phase.
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
