#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "app/common/status_line.hpp"
#include "app/common/stopwatch.hpp"

namespace gpuccl::app {

/// Progress of a batch. Thread-safe.
class BatchProgress {
 public:
  enum class Manner { silent, usual, often };

  BatchProgress(std::size_t total, Manner manner);

  void advance(bool failed);
  /// Prints "gpuccl: <line>" where it does not mix with the progress.
  void message(const std::string& line);

 private:
  std::string text() const;

  const std::size_t total_;
  std::atomic<std::size_t> done_ = 0, failed_ = 0;
  const Stopwatch since_start_;
  StatusLine line_;
};

}  // namespace gpuccl::app
