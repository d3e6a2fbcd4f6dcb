#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "app/common/stopwatch.hpp"

namespace gpuccl::app {

/// How far a batch is: one line that changes on a terminal, a line now and then elsewhere.
class BatchProgress {
 public:
  enum class Manner { silent, usual, often };

  BatchProgress(std::size_t total, Manner manner);
  ~BatchProgress();
  BatchProgress(const BatchProgress&) = delete;
  BatchProgress& operator=(const BatchProgress&) = delete;

  void advance(bool failed);
  /// Prints "gpuccl: <line>" where it does not mix with the progress. May be called from several threads.
  void message(const std::string& line);

 private:
  std::string text() const;
  void clear();

  std::size_t total_, done_ = 0, failed_ = 0;
  Manner manner_;
  bool terminal_, shown_ = false;
  std::mutex printing_;
  Stopwatch since_start_, since_shown_;
};

}  // namespace gpuccl::app
