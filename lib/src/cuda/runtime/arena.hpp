#pragma once

#include <cstddef>

namespace gpuccl::cuda {

/// Divides a block of memory into arrays. Without memory, only adds up their sizes.
class Arena {
 public:
  explicit Arena(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  template <class T>
  T* take(std::size_t count) {
    std::byte* const at = memory_ == nullptr ? nullptr : memory_ + used_;
    constexpr std::size_t kAlignment = 256;  // that of fresh device memory
    used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<T*>(at);
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

}  // namespace gpuccl::cuda
