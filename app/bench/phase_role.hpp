#pragma once

#include <string>

namespace gpuccl::bench {

/// What a phase does, whatever its paper calls it, in the order in which labeling goes on. Charts stack
/// phases in this order and give a role one colour in all algorithms.
enum class PhaseRole {
  transfer,
  initialization,
  local_labeling,
  merging,
  compression,
  writing,
  numbering,
  statistics,
  other,
};
inline constexpr int kPhaseRoles = static_cast<int>(PhaseRole::other) + 1;

/// Of a phase or another measure by its name; `other` if it is not known.
PhaseRole role_of(const std::string& phase);
/// As in a legend.
std::string name(PhaseRole role);

}  // namespace gpuccl::bench
