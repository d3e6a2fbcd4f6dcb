#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>

namespace gpuccl::io {

/// Calls `work(z)` for the slices [z0, z1), on as many threads of the caller's arena as keep `bytes_each` of
/// memory a slice below an eighth of `memory`.
template <class Work>
void for_each_slice(int z0, int z1, std::int64_t bytes_each, std::int64_t memory, Work work) {
  if (z1 - z0 == 1) return work(z0);
  const auto affordable =
      static_cast<int>(std::clamp<std::int64_t>(memory / 8 / std::max<std::int64_t>(1, bytes_each), 1, 1024));
  const auto work_on_all = [&] { oneapi::tbb::parallel_for(z0, z1, work); };
  if (affordable >= oneapi::tbb::this_task_arena::max_concurrency()) return work_on_all();
  oneapi::tbb::task_arena(affordable).execute(work_on_all);
}

}  // namespace gpuccl::io
