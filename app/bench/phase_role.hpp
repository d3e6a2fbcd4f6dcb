#pragma once

#include <string>

namespace gpuccl::bench {

/// Role of a phase, independent of its name in the paper, in the order of labeling. Charts stack phases in
/// this order and give a role the same color in all algorithms.
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

/// Returns the role of a phase or another measure by its name; `other` if the name is unknown.
PhaseRole role_of(const std::string& phase);
/// Returns the name that legends use.
std::string name(PhaseRole role);

}  // namespace gpuccl::bench
