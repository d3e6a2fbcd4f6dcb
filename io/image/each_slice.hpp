#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>

#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Calls `work(z)` for the slices [z0, z1) of `source`, on as many threads of the caller's arena as keep
/// `bytes_each` of memory a slice below an eighth of `memory`; on one, in ascending order, if `source` asks
/// for that.
template <class Work>
void for_each_slice(const SampleSource& source, int z0, int z1, std::int64_t bytes_each, std::int64_t memory,
                    Work work) {
  if (source.in_order() || z1 - z0 == 1) {
    for (int z = z0; z < z1; ++z) work(z);
    return;
  }
  const auto affordable =
      static_cast<int>(std::clamp<std::int64_t>(memory / 8 / std::max<std::int64_t>(1, bytes_each), 1, 1024));
  const auto work_on_all = [&] { oneapi::tbb::parallel_for(z0, z1, work); };
  if (affordable >= oneapi::tbb::this_task_arena::max_concurrency()) return work_on_all();
  oneapi::tbb::task_arena(affordable).execute(work_on_all);
}

}  // namespace gpuccl::io
