#include "scheduler.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "emulation.hpp"
#include "fiber.hpp"

namespace emulation {
namespace {

Settings settings;
std::atomic<std::uint32_t> launches = 0;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "emulation of CUDA: %s (block %u %u %u, thread %u %u %u)\n", what, block_index.x,
               block_index.y, block_index.z, thread_index.x, thread_index.y, thread_index.z);
  std::abort();
}

/// Orders must differ, and come fast; nothing else is asked of these numbers.
class Random {
 public:
  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  void seed(std::uint32_t seed) { state_ = seed * 2654435769u | 1u; }
  result_type operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  /// A number below `limit`.
  std::size_t below(std::size_t limit) {
    return static_cast<std::size_t>((std::uint64_t{(*this)()} * limit) >> 32);
  }

 private:
  std::uint32_t state_ = 1;
};

/// Runs one thread block after another on one host thread.
class BlockRunner {
 public:
  void run(dim3 grid, dim3 block, std::uint64_t number, const std::function<void()>& thread,
           std::uint32_t seed) {
    grid_extent = grid;
    block_extent = block;
    block_index = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                   static_cast<unsigned>(number / grid.x / grid.y)};
    random_.seed(seed + static_cast<std::uint32_t>(number) * 7919u);
    body_ = &thread;
    const unsigned threads = block.x * block.y * block.z;
    order_.resize(threads);
    std::iota(order_.begin(), order_.end(), 0u);
    std::shuffle(order_.begin(), order_.end(), random_);
    started_ = ended_ = at_barrier_ = 0;
    fibers_of_.assign(threads, nullptr);
    groups_.clear();
    groups_.resize((threads + 31) / 32);

    while (ended_ < threads) {
      if (!ready_.empty() && (started_ == threads || random_.below(2) != 0)) {
        resume_one();
      } else if (started_ < threads) {
        enter(idle_fiber());
      } else {
        fail(at_barrier_ > 0 ? "some threads wait at __syncthreads() and others never come"
                             : "some lanes wait for others that never come");
      }
    }
  }

  void meet_block() {
    if (++at_barrier_ < fibers_of_.size()) {
      waiting_at_barrier_.push_back(current_);
      wait();
      return;
    }
    at_barrier_ = 0;
    ready_.insert(ready_.end(), waiting_at_barrier_.begin(), waiting_at_barrier_.end());
    waiting_at_barrier_.clear();
  }

  const Meeting& meet_warp(unsigned mask, const char* name, std::uint64_t value) {
    const unsigned lane = current_ % 32;
    Group& group = group_of(mask);
    if ((mask >> lane & 1u) == 0) fail("a lane is missing in its own mask");
    if (group.arrived != 0 && group.name != name && std::strcmp(group.name, name) != 0)
      fail("lanes meet at different functions");
    Meeting& meeting = group.meetings[group.generation % 2];
    meeting.values[lane] = value;
    group.name = name;
    group.arrived |= 1u << lane;
    if (group.arrived != mask) {
      group.waiting.push_back(current_);
      wait();
      return meeting;
    }
    group.arrived = 0;
    ++group.generation;
    ready_.insert(ready_.end(), group.waiting.begin(), group.waiting.end());
    group.waiting.clear();
    return meeting;
  }

  void maybe_switch() {
    if (settings.switch_one_in == 0 || random_.below(settings.switch_one_in) != 0) return;
    ready_.push_back(current_);
    wait();
  }

  unsigned lane() const { return current_ % 32; }

 private:
  /// Lanes of one mask. Results of a meeting stay until the meeting after the next.
  struct Group {
    unsigned mask = 0, arrived = 0;
    const char* name = "";
    unsigned generation = 0;
    Meeting meetings[2];
    std::vector<unsigned> waiting;
  };

  Group& group_of(unsigned mask) {
    std::list<Group>& groups = groups_[current_ / 32];
    for (Group& group : groups)
      if (group.mask == mask) return group;
    groups.emplace_back().mask = mask;
    return groups.back();
  }

  void set_current(unsigned thread) {
    current_ = thread;
    thread_index = {thread % block_extent.x, thread / block_extent.x % block_extent.y,
                    thread / block_extent.x / block_extent.y};
  }

  /// Body of a fiber: runs threads, one after the other, until one of them has to wait.
  void run_threads() {
    for (;;) {
      Fiber* const self = running_;
      while (started_ < order_.size()) {
        set_current(order_[started_++]);
        fibers_of_[current_] = self;
        (*body_)();
        ++ended_;
      }
      idle_.push_back(self);
      self->leave();
    }
  }

  Fiber* idle_fiber() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<Fiber>([this] { run_threads(); }));
      return all_.back().get();
    }
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  void enter(Fiber* fiber) {
    running_ = fiber;
    fiber->enter();
  }

  void resume_one() {
    std::swap(ready_[random_.below(ready_.size())], ready_.back());
    const unsigned thread = ready_.back();
    ready_.pop_back();
    set_current(thread);
    enter(fibers_of_[thread]);
  }

  void wait() { fibers_of_[current_]->leave(); }

  const std::function<void()>* body_ = nullptr;
  Random random_;
  std::vector<unsigned> order_;  // in which threads start
  std::size_t started_ = 0, ended_ = 0, at_barrier_ = 0;
  unsigned current_ = 0;
  std::vector<Fiber*> fibers_of_;  // by thread
  std::vector<unsigned> ready_, waiting_at_barrier_;
  std::vector<std::list<Group>> groups_;  // by warp
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> idle_;
  Fiber* running_ = nullptr;
};

/// The shared memory of all kernels is thread-local, about 10 MB, and lies in the stack of each thread:
/// threads that are made later, also by tests, get a stack that is larger by that.
[[maybe_unused]] const int stacks_are_large = [] {
  pthread_attr_t wanted;
  pthread_attr_init(&wanted);
  pthread_attr_setstacksize(&wanted, std::size_t{32} << 20);
  return pthread_setattr_default_np(&wanted);
}();

BlockRunner& runner() {
  static thread_local BlockRunner one;
  return one;
}

/// Threads that share the launches of one host thread. They stay for its next launch, because a thread begins
/// with new fibers and shared memory, which takes longer than most launches.
class Helpers {
 public:
  ~Helpers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Calls `work` in this thread and `count` times in others.
  void run(std::size_t count, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    while (threads_.size() < count) threads_.emplace_back([this] { serve(); });
    work_ = &work;
    to_begin_ = to_end_ = count;
    lock.unlock();
    wanted_.notify_all();
    work();
    lock.lock();
    ended_.wait(lock, [this] { return to_end_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wanted_.wait(lock, [this] { return ending_ || to_begin_ > 0; });
      if (ending_) return;
      --to_begin_;
      lock.unlock();
      (*work_)();
      lock.lock();
      if (--to_end_ == 0) ended_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  const std::function<void()>* work_ = nullptr;
  std::size_t to_begin_ = 0, to_end_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

void configure(const Settings& wanted) { settings = wanted; }

void run_grid(dim3 grid, dim3 block, const std::function<void()>& thread) {
  const std::uint32_t seed = settings.seed * 1000003u + launches++;
  std::vector<std::uint64_t> blocks(std::uint64_t{grid.x} * grid.y * grid.z);
  std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
  std::shuffle(blocks.begin(), blocks.end(), std::minstd_rand(seed));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < blocks.size(); i = next++)
      runner().run(grid, block, blocks[i], thread, seed);
  };

  const std::size_t threads = std::min<std::size_t>(settings.host_threads, blocks.size());
  if (threads <= 1) return work();
  static thread_local Helpers helpers;
  helpers.run(threads - 1, work);
}

void meet_block() { runner().meet_block(); }
const Meeting& meet_warp(unsigned mask, const char* name, std::uint64_t value) {
  return runner().meet_warp(mask, name, value);
}
unsigned lane() { return runner().lane(); }
void maybe_switch() {
  if (settings.switch_one_in != 0) runner().maybe_switch();
}

}  // namespace emulation
