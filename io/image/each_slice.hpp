#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Calls `work(i)` for [begin, end) on as many threads of the caller's arena as keep `bytes_each` of memory
/// below an eighth of `memory`.
template <class Work>
void for_each_within(int begin, int end, std::int64_t bytes_each, std::int64_t memory, Work work) {
  const auto affordable =
      static_cast<int>(std::clamp<std::int64_t>(memory / 8 / std::max<std::int64_t>(1, bytes_each), 1, 1024));
  const auto work_on_all = [&] { oneapi::tbb::parallel_for(begin, end, work); };
  if (affordable >= oneapi::tbb::this_task_arena::max_concurrency()) return work_on_all();
  oneapi::tbb::task_arena(affordable).execute(work_on_all);
}

/// Calls `work(begin, end)` for each group of slices [z0, z1), on threads as for_each_within(); on one
/// thread, in ascending order, if `source` needs that (in_order()).
template <class Work>
void for_each_group(const SampleSource& source, int z0, int z1, std::int64_t bytes_each, std::int64_t memory,
                    Work work) {
  const std::int64_t depth = source.group_depth();
  const auto work_on_group = [&](std::int64_t group) {
    work(static_cast<int>(std::max<std::int64_t>(group * depth, z0)),
         static_cast<int>(std::min<std::int64_t>((group + 1) * depth, z1)));
  };
  const auto begin = static_cast<int>(z0 / depth), end = static_cast<int>((z1 + depth - 1) / depth);
  if (source.in_order() || end - begin == 1) {
    for (int group = begin; group < end; ++group) work_on_group(group);
    return;
  }
  for_each_within(begin, end, bytes_each, memory, work_on_group);
}

/// Calls `work(i)` for the parts [0, count) of a slice or group, on threads as for_each_within(). Rethrows
/// the exception of the first part that fails, with any number of threads; later parts may be skipped.
template <class Work>
void for_each_part(int count, std::int64_t bytes_each, std::int64_t memory, Work work) {
  std::atomic<int> failed = count;
  std::exception_ptr failure;
  std::mutex lock;
  for_each_within(0, count, bytes_each, memory, [&](int i) {
    if (i > failed) return;
    try {
      work(i);
    } catch (...) {
      const std::lock_guard holding(lock);
      if (i > failed) return;
      failed = i;
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gpuccl::io
