#include "app/label/batch/admission.hpp"

#include <sys/resource.h>
#include <tbb/info.h>

#include <algorithm>

#include "gpuccl/detail/system.hpp"

namespace gpuccl::app {
namespace {

// Larger images get all threads: one thread would take a second and hold memory that others need.
constexpr std::int64_t kLarge = std::int64_t{1} << 26;

}  // namespace

Admission::Admission(std::int64_t memory, int threads)
    : threads_(threads), all_threads_(threads), memory_(memory) {}

Admission::Memory Admission::reserve(std::int64_t bytes) {
  std::unique_lock lock(lock_);
  const std::uint64_t ticket = next_ticket_++;
  changed_.wait(lock, [&] { return ticket == served_ && (reserved_ == 0 || bytes <= memory_ - reserved_); });
  reserved_ += bytes;
  ++served_;
  changed_.notify_all();
  return {*this, bytes};
}

bool Admission::extend(Memory& memory, std::int64_t bytes) {
  const std::lock_guard lock(lock_);
  const std::int64_t more = bytes - memory.bytes_;
  if (more > memory_ - reserved_) return false;
  reserved_ += more;
  memory.bytes_ = bytes;
  return true;
}

void Admission::give_back(std::int64_t bytes) {
  const std::lock_guard lock(lock_);
  reserved_ -= bytes;
  changed_.notify_all();
}

bool Admission::is_large(const Extent& extent) { return extent.elements() >= kLarge; }

static int thread_count(const LabelOptions& options) {
  return options.algorithm.threads > 0 ? options.algorithm.threads : tbb::info::default_concurrency();
}

/// Returns the number of jobs, limited by file descriptors: each needs some for its input, outputs and
/// folders.
static int job_count(const LabelOptions& options, int threads) {
  constexpr int kWaitingForDisk = 8, kDescriptorsEach = 10, kDescriptorsElse = 24;
  const int wanted = options.batch.jobs > 0 ? options.batch.jobs : threads + kWaitingForDisk;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const auto affordable = (static_cast<std::int64_t>(limit.rlim_cur) - kDescriptorsElse) / kDescriptorsEach;
  return static_cast<int>(std::clamp<std::int64_t>(affordable, 1, wanted));
}

Workers workers_for(const LabelOptions& options) {
  const int threads = thread_count(options), jobs = job_count(options, threads);
  const int all = 1 + count_startable_threads(jobs + threads - 1);
  return {std::min(threads, all), std::min(jobs, all), all};
}

}  // namespace gpuccl::app
