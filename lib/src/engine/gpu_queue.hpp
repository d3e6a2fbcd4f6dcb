#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace gpuccl {

/// The line of threads that want one of some GPUs. Whoever finds one free works for the first in line, and
/// for those behind that can go with it. `Request` has the member `done`, false to begin with.
template <class Request>
class GpuQueue {
 public:
  explicit GpuQueue(std::size_t gpus) : gpus_(gpus) {
    for (std::size_t gpu = gpus; gpu > 0; --gpu) idle_.push_back(gpu - 1);
  }

  /// Returns the number of idle GPUs.
  std::size_t idle() {
    const std::lock_guard lock(lock_);
    return idle_.size();
  }

  /// Returns when `mine` is done. take(line) takes requests that go together out of the line, the first at
  /// least, or throws and leaves the line as it is: then so does this, and others go on. work(requests, gpu)
  /// does them on that of the GPUs, and throws nothing.
  template <class Take, class Work>
  void wait_for(Request& mine, Take take, Work work) {
    std::unique_lock lock(lock_);
    line_.push_back(&mine);
    while (true) {
      // With several GPUs, mine may be taken and not be done.
      changed_.wait(lock, [&] {
        return mine.done || (!idle_.empty() && std::find(line_.begin(), line_.end(), &mine) != line_.end());
      });
      if (mine.done) return;
      const std::vector<Request*> together = take_or_leave(mine, take);
      const std::size_t gpu = idle_.back();
      idle_.pop_back();
      lock.unlock();
      work(together, gpu);
      lock.lock();
      idle_.push_back(gpu);
      for (Request* const request : together) request->done = true;
      changed_.notify_all();
    }
  }

  /// Does `work` while nobody else has any GPU.
  template <class Work>
  void alone(Work work) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return idle_.size() == gpus_; });
    std::vector<std::size_t> all;
    std::swap(all, idle_);
    lock.unlock();
    work();
    lock.lock();
    std::swap(all, idle_);
    changed_.notify_all();
  }

 protected:
  std::mutex lock_;
  std::deque<Request*> line_;

 private:
  template <class Take>
  std::vector<Request*> take_or_leave(Request& mine, Take take) {
    try {
      return take(line_);
    } catch (...) {
      std::erase(line_, &mine);
      changed_.notify_all();
      throw;
    }
  }

  std::condition_variable changed_;
  const std::size_t gpus_;
  std::vector<std::size_t> idle_;
};

}  // namespace gpuccl
