#pragma once

#include <tbb/task_arena.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <semaphore>
#include <utility>

#include "app/label/label_options.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

/// Distributes memory and processors among the jobs of a batch. There are more jobs than threads, because
/// most of them wait for the disk.
class Admission {
 public:
  Admission(std::int64_t memory, int threads);

  /// Memory for one image, given back when it goes out of scope.
  class Memory {
   public:
    Memory(Admission& admission, std::int64_t bytes) : admission_(&admission), bytes_(bytes) {}
    Memory(Memory&& other) noexcept
        : admission_(std::exchange(other.admission_, nullptr)), bytes_(other.bytes_) {}
    Memory& operator=(Memory&&) = delete;
    /// Extends the reservation to `bytes` without waiting. Returns false if that is not possible.
    bool extend(std::int64_t bytes) { return bytes <= bytes_ || admission_->extend(*this, bytes); }
    std::int64_t bytes() const { return bytes_; }
    ~Memory() {
      if (admission_ != nullptr) admission_->give_back(bytes_);
    }

   private:
    friend Admission;
    Admission* admission_;
    std::int64_t bytes_;
  };

  /// Waits until `bytes` of memory are free; an image that needs more than the limit runs alone. Requests are
  /// served in order, so that small images do not delay a large one for ever.
  Memory reserve(std::int64_t bytes);

  /// Runs `work` on one thread when one is free, or for a large image on all threads.
  template <class Work>
  void compute(const Extent& extent, Work work) {
    if (is_large(extent)) {
      const std::lock_guard lock(large_);
      all_threads_.execute(work);
    } else {
      const std::lock_guard lock(threads_);
      alone(work);
    }
  }

  /// Runs `work` on this thread without waiting for a free one: for work that mostly waits for the disk.
  template <class Work>
  static void alone(Work work) {
    tbb::task_arena(1).execute(work);
  }

 private:
  struct Threads : std::counting_semaphore<> {
    using counting_semaphore::counting_semaphore;
    void lock() { acquire(); }
    void unlock() { release(); }
  };

  static bool is_large(const Extent& extent);
  bool extend(Memory& memory, std::int64_t bytes);
  void give_back(std::int64_t bytes);

  Threads threads_;
  tbb::task_arena all_threads_;
  std::mutex large_;  // one large image at a time

  const std::int64_t memory_;
  std::int64_t reserved_ = 0;
  std::uint64_t next_ticket_ = 0, served_ = 0;
  std::mutex lock_;
  std::condition_variable changed_;
};

/// Threads of a batch.
struct Workers {
  int threads;  // that work
  int jobs;     // that work or wait for the disk
  int all;
};

/// Returns the numbers of threads and jobs: those requested, or as many as the system allows.
Workers workers_for(const LabelOptions& options);

}  // namespace gpuccl::app
