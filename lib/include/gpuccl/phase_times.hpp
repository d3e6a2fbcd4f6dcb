#pragma once

#include <string>
#include <vector>

namespace gpuccl {

/// Time of one named step of an algorithm; a phase inside a loop adds up and counts its launches.
struct PhaseTime {
  std::string phase;  // the paper's name for it
  double milliseconds = 0;
  int launches = 0;
};
using PhaseTimes = std::vector<PhaseTime>;

inline void add_to(PhaseTimes& times, const std::string& phase, double milliseconds) {
  for (PhaseTime& time : times)
    if (time.phase == phase) {
      time.milliseconds += milliseconds;
      ++time.launches;
      return;
    }
  times.push_back({phase, milliseconds, 1});
}

}  // namespace gpuccl
