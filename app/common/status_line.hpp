#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "app/common/stopwatch.hpp"

namespace gpuccl::app {

/// Progress line on standard error: updated in place on a terminal, printed now and then otherwise.
/// Thread-safe.
class StatusLine {
 public:
  /// Milliseconds between two lines that are offered; never: infinity.
  struct Interval {
    double terminal;
    double elsewhere;
  };

  explicit StatusLine(Interval interval);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Shows what `line` gives, unless the last one is too young: then `line` is not called.
  void offer(const std::function<std::string()>& line);
  void show(const std::string& line);
  /// Prints "gpuccl: <line>", which stays.
  void message(const std::string& line);
  /// Takes the line away.
  void clear();

 private:
  void put(const std::string& line);
  void erase();

  bool terminal_;
  double interval_;
  bool shown_ = false;
  std::mutex printing_;
  Stopwatch since_shown_;
};

}  // namespace gpuccl::app
