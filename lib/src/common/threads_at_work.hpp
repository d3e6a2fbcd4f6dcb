#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace gpuccl {

/// Returns the number of threads that share work started here. It respects limits such as --threads, unlike
/// an arena.
inline int threads_at_work() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return static_cast<int>(
      std::min(allowed, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
}

}  // namespace gpuccl
