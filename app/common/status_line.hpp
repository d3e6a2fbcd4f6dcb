#pragma once

#include <functional>
#include <mutex>
#include <optional>
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

/// Says on stderr what is being done with a file, a line a stage; on a terminal with the share that is done.
class Progress {
 public:
  Progress(bool wanted, const std::string& path);

  void stage(const std::string& name);
  /// Sets the completed fraction of the stage, 0 to 1. Thread-safe, and cheap to call often.
  void share(double done);
  /// Takes the line away, so that a message can be printed.
  void clear();

 private:
  std::string subject_;
  std::string stage_;
  std::optional<StatusLine> line_;  // if it is wanted
};

}  // namespace gpuccl::app
