#pragma once

#include <memory>

namespace gpuccl::app {

/// Limits the number of threads of parallel work during its lifetime.
class ThreadLimit {
 public:
  /// `threads`: 0 means no limit.
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace gpuccl::app
