#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

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

/// Progress line on standard error: updated in place on a terminal, printed now and then otherwise.
/// Thread-safe.
class StatusLine {
 public:
  /// Minimum time between two offered lines, in milliseconds; infinity: never.
  struct Interval {
    double terminal;
    double elsewhere;
  };

  explicit StatusLine(Interval interval);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Calls and shows `line`, unless the previous line was shown too recently.
  void offer(const std::function<std::string()>& line);
  void show(const std::string& line);
  /// Prints "gpuccl: <line>", which stays.
  void message(const std::string& line);
  /// Erases the line.
  void clear();

 private:
  void draw(const std::string& line);
  void erase();

  bool terminal_;
  double interval_;
  bool shown_ = false;
  std::mutex printing_;
  Stopwatch since_shown_;
};

/// Progress of a file on stderr: one line per stage, on a terminal with the share that is done.
class Progress {
 public:
  Progress(bool wanted, const std::string& path);

  void stage(const std::string& name);
  /// Sets the completed fraction of the stage, 0 to 1. Thread-safe, and cheap to call often.
  void share(double done);
  /// Erases the line, so that a message can be printed.
  void clear();

 private:
  std::string subject_;
  std::string stage_;
  std::optional<StatusLine> line_;  // if it is wanted
};

}  // namespace gpuccl::app
