#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace gpuccl::cuda {

/// Memory that is used again and again, by several threads: to get it takes longer than a transfer, and to
/// give memory of a device back waits for all that runs there.
template <class Memory>
class MemoryPool {
 public:
  /// What is idle, of whatever size, or nothing yet.
  Memory take() {
    const std::lock_guard lock(lock_);
    if (idle_.empty()) return {};
    Memory memory = std::move(idle_.back());
    idle_.pop_back();
    return memory;
  }

  void give_back(Memory memory) {
    const std::lock_guard lock(lock_);
    idle_.push_back(std::move(memory));
  }

 private:
  std::mutex lock_;
  std::vector<Memory> idle_;
};

}  // namespace gpuccl::cuda
