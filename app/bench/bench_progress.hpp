#pragma once

#include <string>

#include "app/common/stopwatch.hpp"

namespace gpuccl::app {

/// Says on stderr how far a long experiment is: a line that changes on a terminal, a line now and then
/// elsewhere.
class BenchProgress {
 public:
  BenchProgress();
  ~BenchProgress() { clear(); }
  BenchProgress(const BenchProgress&) = delete;
  BenchProgress& operator=(const BenchProgress&) = delete;

  /// `done` is the share, 0 to 1. May be called as often as one likes.
  void at(double done, const std::string& what);
  /// Lines that stay.
  void warn(const std::string& line);
  void problem(const std::string& line);
  void clear() const;

 private:
  bool terminal_;
  Stopwatch since_shown_;
};

}  // namespace gpuccl::app
