#pragma once

#include <chrono>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

/// Calls `step` and returns how many milliseconds it took.
template <class Step>
double milliseconds(Step&& step) {
  const auto begin = std::chrono::steady_clock::now();
  step();
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count();
}

/// Runs the phases of an algorithm and times each. The twin of cuda/runtime/phase_clock.cuh.
class PhaseClock {
 public:
  explicit PhaseClock(PhaseTimes& times) : times_(times) {}

  template <class Step>
  void operator()(const char* phase, Step&& step) {
    add_to(times_, {phase, milliseconds(step), 1});
  }

 private:
  PhaseTimes& times_;
};

}  // namespace gpuccl::cpu
