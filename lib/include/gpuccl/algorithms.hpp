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

/// What a labeler returns: labels, statistics and where the time went.
struct Labeled {
  std::unique_ptr<LabelSource> labels;
  Components components;
  PhaseTimes phases;         // of the labeling, in the paper's names; see Labeler::time_phases()
  double statistics_ms = 0;  // component statistics
  double allocate_ms = 0;    // getting memory for a label image, if the algorithm writes one
  GatheredSums sums = {};    // what Labeler::gather() asked for, if the labeler gathers any
};

/// One algorithm at one connectivity on one device. Buffers are kept from one image to the next.
/// A labeler may keep reading `image` until the labels it returned are destroyed.
class Labeler {
 public:
  virtual ~Labeler() = default;
  virtual Labeled label(BitView image) = 0;

  /// Whether a GPU times phases from now on (Labeled::phases), which it does one by one: no launch begins
  /// before the one before has ended, so that the whole takes longer. At first it does not; the CPU always
  /// does.
  virtual void time_phases(bool /*timed*/) {}

  /// Which sums are gathered with the components from now on: by the fast engine on a GPU, if it has memory
  /// for them. At first none are.
  virtual void gather(const SumsLayout& /*layout*/) {}
};

/// Makes a labeler; `gpu` is the index of the CUDA device and means nothing to a CPU algorithm.
using MakeLabeler = std::unique_ptr<Labeler> (*)(int gpu);

struct Variant {
  Connectivity connectivity;
  MakeLabeler make;
};

/// A step of an algorithm.
struct Phase {
  std::string name;       // the paper's
  bool repeated = false;  // once an iteration, until nothing changes
  friend bool operator==(const Phase&, const Phase&) = default;
};
using Phases = std::vector<Phase>;
inline constexpr bool kRepeated = true;

/// Bytes of host memory that the tables of an algorithm take at most while it labels an image of `extent`,
/// what it leaves as labels included; neither the bits of the image nor its components.
using TableBytes = std::int64_t (*)(Connectivity connectivity, Extent extent);

struct Algorithm {
  std::string name;   // as typed after --algo
  std::string title;  // as printed in a report
  std::string paper;  // where it was published
  DeviceKind device;
  std::vector<Variant> variants;
  Phases phases = {};                // in the order they run
  Phases phases_3d = {};             // of the 3D connectivities; empty if they are the same
  TableBytes table_bytes = nullptr;  // null on a GPU
  std::string blocks = {};           // of block_configurations(): the thread blocks, "32x16"
};

/// Every algorithm of this build, in the order they are listed. `runs` may stand twice, once a
/// device.
const std::vector<Algorithm>& algorithms();

/// The papers' GPU algorithms once more, compiled so that they count their accesses to memory (Accesses in
/// PhaseTimes), which takes time. Their labels are the same.
const std::vector<Algorithm>& counting_algorithms();

/// GPU algorithms whose thread blocks can have other sizes, once for each of them. Their labels are the same.
const std::vector<Algorithm>& block_configurations();

/// Null if there is none of that name on that device.
const Algorithm* find_algorithm(const std::string& name, DeviceKind device);
const Variant* find_variant(const Algorithm& algorithm, Connectivity connectivity);

const Phases& find_phases(const Algorithm& algorithm, Connectivity connectivity);

/// Algorithm::table_bytes; of a GPU algorithm that of `runs`, which labels on the CPU when the GPU is lost
/// and leaves the same labels as the GPU.
std::int64_t table_bytes(const Algorithm& algorithm, Connectivity connectivity, Extent extent);

/// The first of the phases that are repeated; empty if the algorithm does not iterate.
std::string iterated_phase(const Algorithm& algorithm);

}  // namespace gpuccl
