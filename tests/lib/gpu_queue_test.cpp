#include <barrier>
#include <new>

#include "engine/gpu_labelers.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace {

struct Request {
  int kind;
  bool done = false;
};

/// A queue that says how many are in line.
struct Queue : GpuQueue<Request> {
  explicit Queue(std::size_t gpus = 1) : GpuQueue(gpus) {}
  std::size_t waiting() {
    const std::lock_guard lock(lock_);
    return line_.size();
  }
};

}  // namespace

TEST_CASE("who waits meanwhile is served together, by kind and in order") {
  Queue queue;
  std::vector<std::vector<int>> served;  // by the thread that has the GPU
  std::atomic<bool> holding = false, let_go = false;
  const auto take = [](std::deque<Request*>& line) {
    std::vector<Request*> together{line.front()};
    line.pop_front();
    while (!line.empty() && line.front()->kind == together.front()->kind) {
      together.push_back(line.front());
      line.pop_front();
    }
    return together;
  };
  const auto work = [&](const std::vector<Request*>& requests, std::size_t) {
    holding = true;
    while (!let_go) std::this_thread::yield();
    std::vector<int> kinds;
    for (const Request* const request : requests) kinds.push_back(request->kind);
    served.push_back(kinds);
  };
  std::vector<std::thread> threads;
  const auto add = [&](int kind, std::size_t waiting_then) {
    threads.emplace_back([&, kind] {
      Request mine{kind};
      queue.wait_for(mine, take, work);
      REQUIRE(mine.done);
    });
    while (queue.waiting() != waiting_then) std::this_thread::yield();
  };
  add(1, 0);
  while (!holding) std::this_thread::yield();
  for (const int kind : {2, 2, 2, 3, 2}) add(kind, threads.size());
  let_go = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(served == std::vector<std::vector<int>>{{1}, {2, 2, 2}, {3}, {2}});
}

TEST_CASE("several GPUs work at the same time, each for one thread") {
  constexpr std::size_t kGpus = 3;
  Queue queue(kGpus);
  const auto one = [](std::deque<Request*>& line) {
    std::vector<Request*> first{line.front()};
    line.pop_front();
    return first;
  };
  std::array<std::atomic<int>, kGpus> on{};
  std::atomic<int> wrong = 0, rounds = 0;
  std::barrier all_at_work(kGpus);  // of which none goes on alone
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kGpus; ++t)
    threads.emplace_back([&] {
      Request mine{0};
      queue.wait_for(mine, one, [&](const std::vector<Request*>&, std::size_t gpu) {
        ++on[gpu];
        all_at_work.arrive_and_wait();
      });
    });
  for (std::thread& thread : threads) thread.join();
  for (std::atomic<int>& served : on) CHECK(served.exchange(0) == 1);

  threads.clear();
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        Request mine{t};
        if (i % 50 == t)
          queue.alone([&] {
            for (const std::atomic<int>& busy : on)
              if (busy != 0) ++wrong;
          });
        else
          queue.wait_for(mine, one, [&](const std::vector<Request*>&, std::size_t gpu) {
            if (++on[gpu] != 1) ++wrong;
            std::this_thread::yield();
            --on[gpu];
          });
        ++rounds;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(rounds == 1200);
}

TEST_CASE("who cannot be served leaves the line, and others go on") {
  Queue queue;
  Request first{1}, second{2};
  const auto fails = [](std::deque<Request*>&) -> std::vector<Request*> { throw std::bad_alloc(); };
  const auto takes = [](std::deque<Request*>& line) {
    const std::vector<Request*> all(line.begin(), line.end());
    line.clear();
    return all;
  };
  std::size_t served = 0;
  const auto work = [&](const std::vector<Request*>& requests, std::size_t) { served += requests.size(); };
  CHECK_THROWS_AS(queue.wait_for(first, fails, work), std::bad_alloc);
  CHECK(queue.waiting() == 0);
  queue.wait_for(second, takes, work);
  CHECK(served == 1);
  CHECK(!first.done);
  CHECK(second.done);
}
