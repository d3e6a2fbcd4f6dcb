#pragma once

#include <algorithm>

#include "gpuccl/algorithms.hpp"

namespace gpuccl {

/// Adds times to those of phases of the same name.
inline void add_phases(PhaseTimes& all, const PhaseTimes& more) {
  for (const PhaseTime& time : more) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const PhaseTime& t) { return t.phase == time.phase; });
    if (same == all.end()) {
      all.push_back(time);
    } else {
      same->milliseconds += time.milliseconds;
      same->launches += time.launches;
    }
  }
}

}  // namespace gpuccl
