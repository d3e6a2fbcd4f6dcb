#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpuccl/bit_volume.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/phase_times.hpp"
#include "gpuccl/sums_layout.hpp"

namespace gpuccl {

enum class DeviceKind { cpu, cuda };

/// Result of a labeler: labels, components and times.
struct Labeled {
  std::unique_ptr<LabelSource> labels;
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
  virtual Labeled label(BitView image) = 0;

  /// Enables timing of each phase on a GPU (Labeled::phases), off by default. Launches are then
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
using TableBytes = std::int64_t (*)(Connectivity connectivity, Extent extent);

/// A row of the table of algorithms.
struct Algorithm {
  std::string name;   // value of --algo
  std::string title;  // full name
  std::string paper;  // authors, year, DOI; empty if unpublished
  DeviceKind device;
  std::vector<Variant> variants;
  Phases phases = {};                // in execution order
  Phases phases_3d = {};             // for 3D connectivities; empty if they are the same
  TableBytes table_bytes = nullptr;  // null on a GPU
  /// Returns GPU algorithms with other thread-block sizes, one row per size. The labels are the same.
  std::string blocks = {};  // thread blocks of block_configurations(), as "32x16"
};

/// Returns every algorithm of this build in listed order. `runs` has one row per device.
const std::vector<Algorithm>& algorithms();

/// Returns the published GPU algorithms, instrumented to count memory accesses (PhaseTime::accesses).
/// Slower; the labels are the same.
const std::vector<Algorithm>& counting_algorithms();

/// GPU algorithms whose thread blocks can have other sizes, once for each of them. Their labels are the same.
const std::vector<Algorithm>& block_configurations();

/// Returns the algorithm, or null if there is none with that name on that device.
const Algorithm* find_algorithm(const std::string& name, DeviceKind device);
/// Returns the variant, or null if the algorithm does not support the connectivity.
const Variant* find_variant(const Algorithm& algorithm, Connectivity connectivity);

/// Returns the phases for a connectivity.
const Phases& find_phases(const Algorithm& algorithm, Connectivity connectivity);

/// Returns Algorithm::table_bytes. For a GPU algorithm it is that of the CPU engine `runs`, the
/// fallback.
std::int64_t table_bytes(const Algorithm& algorithm, Connectivity connectivity, Extent extent);

/// Returns the first repeated phase, or an empty string if the algorithm does not iterate.
std::string iterated_phase(const Algorithm& algorithm);

}  // namespace gpuccl
