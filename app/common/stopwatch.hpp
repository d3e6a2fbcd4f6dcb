#pragma once

#include <chrono>

namespace gpuccl::app {

/// Measures milliseconds since its construction or the last lap().
class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }
  double lap() {
    const double elapsed = milliseconds();
    start_ = Clock::now();
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace gpuccl::app
