#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "parts/message.hpp"

namespace gpuccl {

void SoloLink::send(int, Message) { throw Error(ErrorCode::internal, "there is no other part"); }
Message SoloLink::receive(int) { throw Error(ErrorCode::internal, "there is no other part"); }

PartLink::Sums PartLink::scan(std::uint64_t value) {
  if (parts() == 1) return {0, value};
  Message mine;
  put(mine, std::vector<std::uint64_t>{value});
  Sums sums;
  int from = 0;
  for (Message& message : gather(std::move(mine))) {
    value = TakenMessage(std::move(message)).take<std::uint64_t>().at(0);
    if (from++ < part()) sums.before += value;
    sums.all += value;
  }
  return sums;
}

std::vector<Message> PartLink::gather(Message message) {
  std::vector<Message> all;
  Message together;
  if (part() > 0) {
    send(0, std::move(message));
    TakenMessage taken(receive(0));
    for (int from = 0; from < parts(); ++from) all.push_back(taken.take<std::byte>());
    return all;
  }
  all.push_back(std::move(message));
  if (parts() == 1) return all;
  for (int from = 1; from < parts(); ++from) all.push_back(receive(from));
  for (const Message& one : all) put(together, one);
  for (int to = 1; to < parts(); ++to) send(to, together);
  return all;
}

namespace {

/// Error that a part receives when another one has failed.
class OtherPartFailed : public Error {
 public:
  OtherPartFailed() : Error(ErrorCode::internal, "another part has failed") {}
};

/// Messages to one part of a process. Each part has its own lock, so a message wakes only its receiver.
class Mailbox {
 public:
  void put(int from, Message message) {
    const std::lock_guard lock(lock_);
    messages_[from].push_back(std::move(message));
    changed_.notify_one();
  }
  Message take(int from) {
    std::unique_lock lock(lock_);
    std::deque<Message>& line = messages_[from];
    changed_.wait(lock, [&] { return failed_ || !line.empty(); });
    if (failed_) throw OtherPartFailed();
    Message message = std::move(line.front());
    line.pop_front();
    return message;
  }
  void fail() {
    const std::lock_guard lock(lock_);
    failed_ = true;
    changed_.notify_one();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::map<int, std::deque<Message>> messages_;  // by sender
  bool failed_ = false;
};

class ThreadLink final : public PartLink {
 public:
  ThreadLink(std::vector<Mailbox>& mailboxes, int part) : mailboxes_(mailboxes), part_(part) {}

  int part() const override { return part_; }
  int parts() const override { return static_cast<int>(mailboxes_.size()); }
  void send(int to, Message message) override { of(to).put(part_, std::move(message)); }
  Message receive(int from) override { return of(part_).take(from); }

 private:
  Mailbox& of(int part) { return mailboxes_[static_cast<std::size_t>(part)]; }

  std::vector<Mailbox>& mailboxes_;
  const int part_;
};

}  // namespace

void run_parts(int parts, const std::function<void(PartLink& link)>& work) {
  std::vector<Mailbox> mailboxes(static_cast<std::size_t>(parts));
  std::mutex lock;
  std::exception_ptr first;
  const auto fail = [&] {
    {
      const std::lock_guard locked(lock);
      if (!first) first = std::current_exception();
    }
    for (Mailbox& mailbox : mailboxes) mailbox.fail();
  };
  std::vector<std::thread> threads;
  const auto run = [&](int part) {
    try {
      ThreadLink link(mailboxes, part);
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
