#pragma once

#include <mutex>
#include <string>

#include "app/common/stopwatch.hpp"

namespace gpuccl::app {

/// Says on stderr what is being done with a file: one line that changes on a terminal, one line a stage
/// elsewhere.
class Progress {
 public:
  Progress(bool wanted, const std::string& path);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void stage(const std::string& name);
  /// How much of the stage is done, 0 to 1. May be called from several threads, and as often as one likes.
  void share(double done);
  /// Takes the line away, so that a message can be printed.
  void clear();

 private:
  void draw(const std::string& line);

  bool wanted_;
  bool terminal_;
  std::string subject_;
  std::string stage_;
  std::mutex drawing_;
  Stopwatch since_drawn_;
};

}  // namespace gpuccl::app
