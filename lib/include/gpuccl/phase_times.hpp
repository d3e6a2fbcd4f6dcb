#pragma once

#include <string>
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

/// Time of one named step of an algorithm; a phase inside a loop adds up and counts its launches.
struct PhaseTime {
  std::string phase;  // the paper's name for it
  double milliseconds = 0;
  int launches = 0;
  Accesses accesses = {};  // of counting_algorithms()
};
using PhaseTimes = std::vector<PhaseTime>;

inline void add_to(PhaseTimes& times, const std::string& phase, double milliseconds,
                   const Accesses& accesses = {}) {
  for (PhaseTime& time : times)
    if (time.phase == phase) {
      time.milliseconds += milliseconds;
      ++time.launches;
      time.accesses += accesses;
      return;
    }
  times.push_back({phase, milliseconds, 1, accesses});
}

}  // namespace gpuccl
