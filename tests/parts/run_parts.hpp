#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

namespace tests {

/// Link of a part in a thread of this process.
class ThreadLink final : public gpuccl::PartLink {
 public:
  struct Shared {
    std::mutex lock;
    std::condition_variable changed;
    std::map<std::pair<int, int>, std::deque<gpuccl::Message>> messages;  // by sender and receiver
    std::exception_ptr failure;
  };
  ThreadLink(Shared& shared, int part, int parts) : shared_(shared), part_(part), parts_(parts) {}

  int part() const override { return part_; }
  int parts() const override { return parts_; }
  void send(int to, gpuccl::Message message) override {
    const std::lock_guard lock(shared_.lock);
    shared_.messages[{part_, to}].push_back(std::move(message));
    shared_.changed.notify_all();
  }
  gpuccl::Message receive(int from) override {
    std::unique_lock lock(shared_.lock);
    std::deque<gpuccl::Message>& line = shared_.messages[{from, part_}];
    shared_.changed.wait(lock, [&] { return shared_.failure || !line.empty(); });
    if (shared_.failure) throw gpuccl::Error(gpuccl::ErrorCode::internal, "another part has failed");
    gpuccl::Message message = std::move(line.front());
    line.pop_front();
    return message;
  }

 private:
  Shared& shared_;
  const int part_, parts_;
};

/// Runs `work` in one thread per part and returns when all are done. If one throws, calls of the other links
/// throw too, and the first error is rethrown.
inline void run_parts(int parts, const std::function<void(gpuccl::PartLink& link)>& work) {
  ThreadLink::Shared shared;
  std::vector<std::thread> threads;
  for (int part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      try {
        ThreadLink link(shared, part, parts);
        work(link);
      } catch (...) {
        const std::lock_guard lock(shared.lock);
        if (!shared.failure) shared.failure = std::current_exception();
        shared.changed.notify_all();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace tests
