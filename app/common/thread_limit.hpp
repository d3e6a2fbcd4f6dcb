#pragma once

#include <memory>

namespace gpuccl::app {

/// As long as it lives, work that is shared out goes to so many threads at most.
class ThreadLimit {
 public:
  /// `threads`: 0 is no limit.
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace gpuccl::app
