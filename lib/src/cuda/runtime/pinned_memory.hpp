#pragma once

#include <cstddef>
#include <utility>

#include "cuda/runtime/check.hpp"

namespace gpuccl::cuda {

/// Page-locked memory of the host, where the device writes at the full speed of the bus.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory() { release(); }
  PinnedMemory(PinnedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;

  /// Room for `bytes`; what was there is lost when it grows. `doing` stands in the message when there is no
  /// memory left.
  void reserve(std::size_t bytes, const char* doing) {
    if (bytes <= bytes_) return;
    release();
    const std::size_t rounded = (bytes + kStep - 1) / kStep * kStep;
    void* memory = nullptr;
    check(cudaMallocHost(&memory, rounded), doing);
    data_ = static_cast<std::byte*>(memory);
    bytes_ = rounded;
  }

  std::byte* data() const { return data_; }

 private:
  static constexpr std::size_t kStep = std::size_t{1} << 20;  // so that slightly larger images find room

  void release() {
    if (data_ != nullptr) cudaFreeHost(std::exchange(data_, nullptr));
    bytes_ = 0;
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace gpuccl::cuda
