#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"

// The table of algorithms, and the result of one labeling.
#pragma GCC visibility push(default)
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
/// instrumented_algorithms().
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

/// Offsets in 64-bit words of the sums of one component, from which measures of shape and topology are
/// derived (measures.hpp); negative if not requested.
struct SumsLayout {
  int moments = -1;    // of products of coordinates, modulo 2^64: xx, xy, yy, in volumes xz, yz, zz
  int perimeter = -1;  // 2D: boundary elements that the contour passes straight, diagonally and bent
  int crofton = -1;    // pairs of neighbors along 4 directions, in volumes 13
  int euler = -1;      // the Euler number
  int words = 0;       // of a component

  friend bool operator==(const SumsLayout&, const SumsLayout&) = default;
};

/// Sums of all components, one after the other.
struct GatheredSums {
  SumsLayout layout;
  UninitializedVector<std::uint64_t> words;
};

enum class DeviceKind { cpu, cuda };

/// Result of a labeler: labels, components and times.
struct Labeling {
  std::unique_ptr<LabelRows> labels;
  Components components;
  PhaseTimes phases;         // names of the paper; see Labeler::time_phases()
  double statistics_ms = 0;  // component statistics
  double allocate_ms = 0;    // allocation of a label image, if the algorithm writes one
  GatheredSums sums = {};    // as requested by Labeler::gather(), if supported
};

/// One algorithm with one connectivity on one device. Reuses its buffers from image to image. Not
/// thread-safe. May read `image` until the returned labels are destroyed.
class Labeler {
 public:
  virtual ~Labeler() = default;
  /// Labels an image. Throws Error: usage if it violates BitView; memory; temporary if the GPU was
  /// lost.
  virtual Labeling label(BitView image) = 0;

  /// Enables timing of each phase on a GPU (Labeling::phases), off by default. Launches are then
  /// serialized, so the total time grows. CPU labelers always time phases.
  virtual void time_phases(bool /*timed*/) {}

  /// Sets the sums to gather with the components, none by default. Only the fast GPU engine supports
  /// it, if it has the memory.
  virtual void gather(const SumsLayout& /*layout*/) {}
};

/// Creates a labeler; `gpu` is the index of the CUDA device, ignored on the CPU.
using MakeLabeler = std::unique_ptr<Labeler> (*)(int gpu);

/// An algorithm with one connectivity.
struct Variant {
  Connectivity connectivity;
  MakeLabeler make;
};

/// A step of an algorithm.
struct Phase {
  std::string name;       // as in the paper
  bool repeated = false;  // in each iteration, until nothing changes
  friend bool operator==(const Phase&, const Phase&) = default;
};
using Phases = std::vector<Phase>;
inline constexpr bool kRepeated = true;

/// Returns an upper bound of the host memory in bytes that an algorithm needs for an image of `extent`,
/// including the labels it returns, without the image and its components.
using HostWorkspaceBytes = std::int64_t (*)(Connectivity connectivity, Extent extent);

/// A row of the table of algorithms.
struct Algorithm {
  std::string name;   // value of --algo
  std::string title;  // full name
  std::string paper;  // authors, year, DOI; empty if unpublished
  DeviceKind device;
  std::vector<Variant> variants;
  Phases phases = {};                                 // in execution order
  Phases phases_3d = {};                              // for 3D connectivities; empty if they are the same
  HostWorkspaceBytes host_workspace_bytes = nullptr;  // null on a GPU
  std::string blocks = {};                            // thread blocks of block_configurations(), as "32x16"
};

/// Returns every algorithm of this build in listed order. `runs` has one row per device.
const std::vector<Algorithm>& algorithms();

/// Returns the algorithm, or null if there is none with that name on that device.
const Algorithm* find_algorithm(const std::string& name, DeviceKind device);
/// Returns the variant, or null if the algorithm does not support the connectivity.
const Variant* find_variant(const Algorithm& algorithm, Connectivity connectivity);

/// Returns the phases for a connectivity.
const Phases& find_phases(const Algorithm& algorithm, Connectivity connectivity);

/// Returns Algorithm::host_workspace_bytes. For a GPU algorithm it is that of the CPU engine `runs`, the
/// fallback.
std::int64_t host_workspace_bytes(const Algorithm& algorithm, Connectivity connectivity, Extent extent);

/// Returns the first repeated phase, or an empty string if the algorithm does not iterate.
std::string iterated_phase(const Algorithm& algorithm);

}  // namespace gpuccl
#pragma GCC visibility pop
