#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace gpuccl {

/// Returns the number of threads that share work started here. Respects limits such as --threads, which an
/// arena does not know.
inline int threads_at_work() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return static_cast<int>(
      std::min(allowed, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
}

}  // namespace gpuccl
