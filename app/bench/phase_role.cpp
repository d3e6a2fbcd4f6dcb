#include "app/bench/phase_role.hpp"

#include <array>
#include <map>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {
namespace {

struct Role {
  const char* name;
  std::vector<std::string> phases;
};

/// By PhaseRole.
const std::array<Role, kPhaseRoles>& roles() {
  static const std::array<Role, kPhaseRoles> all = {{
      {"transfer and memory", {kUpload, kAllocate, kRelease, "Pack", "Unpack"}},
      {"initialization", {"Init", "Initialization", "InitLabels", "Runs"}},
      {"local labeling", {"LocalMerge", "LocalLabeling", "TileLabeling", "FirstScan", "Fill"}},
      {"merging",
       {"Merge", "GlobalMerge", "BoundaryMerge", "BoundaryAnalysis", "BorderMerge", "Merge borders",
        "Reduction", "LabelReduction", "SouthBorders", "EastBorders", "Scan", "Rows", "Columns", "Propagate",
        "Forward", "Backward"}},
      {"compression",
       {"Compression", "PathCompression", "Analysis", "ResolveLabels", "Link", "Update", "Relabeling",
        "Labeling", "Flatten"}},
      {"writing labels", {"FinalLabeling", "SecondScan", "WriteLabels", "WriteRuns", "GatherRuns", kRender}},
      {"numbering",
       {"Renumber", "Renumber: mark", "Renumber: count", "Renumber: write", "Number", "Numbering", "MarkRuns",
        "CountRuns"}},
      {"statistics", {kStatistics}},
      {"other", {}},
  }};
  return all;
}

}  // namespace

PhaseRole role_of(const std::string& phase) {
  static const std::map<std::string, PhaseRole> by_phase = [] {
    std::map<std::string, PhaseRole> result;
    for (int role = 0; role < kPhaseRoles; ++role)
      for (const std::string& name : roles()[static_cast<std::size_t>(role)].phases)
        result.emplace(name, static_cast<PhaseRole>(role));
    return result;
  }();
  const auto at = by_phase.find(phase);
  return at != by_phase.end() ? at->second : PhaseRole::other;
}

std::string name(PhaseRole role) { return roles()[static_cast<std::size_t>(role)].name; }

}  // namespace gpuccl::bench
