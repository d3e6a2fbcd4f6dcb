#include "fiber.hpp"

#include <atomic>
#include <cstddef>

// Sanitizers must be told of other stacks. These are there only when the program is linked with them.
extern "C" {
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __asan_handle_no_return();
}

namespace emulation {
namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;

/// Stacks that all end at the same place of a page would push each other out of the processor's cache.
std::size_t next_stack_bytes() {
  static std::atomic<unsigned> number = 0;
  return kStackBytes - number++ % 61 * 192;
}

thread_local Fiber* starting = nullptr;

bool under_tsan() { return __tsan_switch_to_fiber != nullptr; }
// Plain jumps between stacks are fifty times faster than swapcontext(), but confuse sanitizers.
bool may_jump() { return !under_tsan() && __asan_handle_no_return == nullptr; }

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(new char[kStackBytes]) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.get();
  inside_.uc_stack.ss_size = next_stack_bytes();
  inside_.uc_link = nullptr;
  makecontext(&inside_, &Fiber::start, 0);
  if (under_tsan()) sanitizer_inside_ = __tsan_create_fiber(0);
}

Fiber::~Fiber() {
  if (sanitizer_inside_ != nullptr) __tsan_destroy_fiber(sanitizer_inside_);
}

void Fiber::start() { starting->body_(); }

void Fiber::enter() {
  if (under_tsan()) {
    sanitizer_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(sanitizer_inside_, 0);
  }
  if (may_jump()) {
    if (_setjmp(jump_outside_) != 0) return;
    if (started_) _longjmp(jump_inside_, 1);
    started_ = true;
    starting = this;
    setcontext(&inside_);
  }
  starting = this;
  swapcontext(&outside_, &inside_);
}

void Fiber::leave() {
  if (under_tsan()) __tsan_switch_to_fiber(sanitizer_outside_, 0);
  if (may_jump()) {
    if (_setjmp(jump_inside_) == 0) _longjmp(jump_outside_, 1);
    return;
  }
  swapcontext(&inside_, &outside_);
}

}  // namespace emulation
