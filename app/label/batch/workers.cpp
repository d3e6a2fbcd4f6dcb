#include "app/label/batch/workers.hpp"

#include <sys/resource.h>
#include <tbb/info.h>

#include <algorithm>
#include <cstdint>

#include "gpuccl/detail/system.hpp"

namespace gpuccl::app {
namespace {

int thread_count(const LabelOptions& options) {
  return options.algorithm.threads > 0 ? options.algorithm.threads : tbb::info::default_concurrency();
}

/// No more than there are descriptors for: an input, its outputs and their folders each.
int job_count(const LabelOptions& options, int threads) {
  constexpr int kWaitingForDisk = 8, kDescriptorsEach = 10, kDescriptorsElse = 24;
  const int wanted = options.batch.jobs > 0 ? options.batch.jobs : threads + kWaitingForDisk;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const auto affordable = (static_cast<std::int64_t>(limit.rlim_cur) - kDescriptorsElse) / kDescriptorsEach;
  return static_cast<int>(std::clamp<std::int64_t>(affordable, 1, wanted));
}

}  // namespace

Workers workers_for(const LabelOptions& options) {
  const int threads = thread_count(options), jobs = job_count(options, threads);
  const int all = 1 + count_startable_threads(jobs + threads - 1);
  return {std::min(threads, all), std::min(jobs, all), all};
}

}  // namespace gpuccl::app
