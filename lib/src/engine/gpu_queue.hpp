#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace gpuccl {

/// The line of threads that want the GPU. Whoever finds it free works for the first in line, and for those
/// behind that can go with it. `Request` has the member `done`, false to begin with.
template <class Request>
class GpuQueue {
 public:
  /// Returns when `mine` is done. take(line) takes requests that go together out of the line, the first at
  /// least, or throws and leaves the line as it is: then so does this, and others go on. work(requests) does
  /// them, and throws nothing.
  template <class Take, class Work>
  void wait_for(Request& mine, Take take, Work work) {
    std::unique_lock lock(lock_);
    line_.push_back(&mine);
    while (true) {
      changed_.wait(lock, [&] { return mine.done || !busy_; });
      if (mine.done) return;
      const std::vector<Request*> together = take_or_leave(mine, take);
      with_gpu(lock, [&] { work(together); });
      for (Request* const request : together) request->done = true;
      changed_.notify_all();
    }
  }

  /// Does `work` while nobody else has the GPU.
  template <class Work>
  void alone(Work work) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return !busy_; });
    with_gpu(lock, work);
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

  template <class Work>
  void with_gpu(std::unique_lock<std::mutex>& lock, Work work) {
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
  }

  std::condition_variable changed_;
  bool busy_ = false;
};

}  // namespace gpuccl
