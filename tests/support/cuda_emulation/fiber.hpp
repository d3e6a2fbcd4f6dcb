#pragma once

#include <ucontext.h>

#include <csetjmp>
#include <functional>
#include <memory>

namespace emulation {

/// A call stack of its own that its owner enters and that goes back to its owner, as often as they like.
class Fiber {
 public:
  /// `body` must never return.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Called by the owner: goes on in the fiber until it calls leave().
  void enter();
  /// Called in the fiber: goes back to where enter() was called.
  void leave();

 private:
  static void start();

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  ucontext_t inside_{}, outside_{};
  std::jmp_buf jump_inside_{}, jump_outside_{};
  bool started_ = false;
  void* sanitizer_inside_ = nullptr;
  void* sanitizer_outside_ = nullptr;
};

}  // namespace emulation
