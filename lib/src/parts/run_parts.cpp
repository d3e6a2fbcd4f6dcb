#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "gpuccl/error.hpp"
#include "gpuccl/parts.hpp"

namespace gpuccl {
namespace {

/// What a part hears when another one has failed.
class OtherPartFailed : public Error {
 public:
  OtherPartFailed() : Error(Failure::internal, "another part has failed") {}
};

/// Messages between the parts of one process.
class Mailbox {
 public:
  void put(int from, int to, Message message) {
    const std::lock_guard lock(lock_);
    messages_[{from, to}].push_back(std::move(message));
    changed_.notify_all();
  }
  Message take(int from, int to) {
    std::unique_lock lock(lock_);
    std::deque<Message>& line = messages_[{from, to}];
    changed_.wait(lock, [&] { return failed_ || !line.empty(); });
    if (failed_) throw OtherPartFailed();
    Message message = std::move(line.front());
    line.pop_front();
    return message;
  }
  void fail() {
    const std::lock_guard lock(lock_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Message>> messages_;  // by sender and receiver
  bool failed_ = false;
};

class ThreadLink final : public PartLink {
 public:
  ThreadLink(Mailbox& mailbox, int part, int parts) : mailbox_(mailbox), part_(part), parts_(parts) {}

  int part() const override { return part_; }
  int parts() const override { return parts_; }
  void send(int to, Message message) override { mailbox_.put(part_, to, std::move(message)); }
  Message receive(int from) override { return mailbox_.take(from, part_); }

 private:
  Mailbox& mailbox_;
  const int part_, parts_;
};

}  // namespace

void run_parts(int parts, const std::function<void(PartLink& link)>& work) {
  Mailbox mailbox;
  std::mutex lock;
  std::exception_ptr first;
  const auto fail = [&] {
    {
      const std::lock_guard locked(lock);
      if (!first) first = std::current_exception();
    }
    mailbox.fail();
  };
  std::vector<std::thread> threads;
  const auto run = [&](int part) {
    try {
      ThreadLink link(mailbox, part, parts);
      work(link);
    } catch (...) {
      fail();
    }
  };
  try {
    for (int part = 1; part < parts; ++part) threads.emplace_back(run, part);
    run(0);
  } catch (...) {  // no thread can be started
    fail();
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace gpuccl
