#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/check.hpp"

namespace gpuccl::cuda {

/// Page-locked memory of the host, where the device writes at the full speed of the bus.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(std::size_t bytes, const char* doing) : bytes_(bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), doing);
    data_ = static_cast<std::byte*>(memory);
  }
  ~PinnedMemory() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  PinnedMemory(PinnedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Pieces of it that are used again and again, by several threads: page-locking takes longer than a transfer.
class PinnedPool {
 public:
  /// A piece of at least `bytes`.
  PinnedMemory take(std::size_t bytes) {
    PinnedMemory piece;
    {
      const std::lock_guard lock(lock_);
      if (!idle_.empty()) {
        piece = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (piece.bytes() >= bytes) return piece;
    piece = {};  // before a larger one is asked for
    return {(bytes + kStep - 1) / kStep * kStep, "page-locking memory for labels"};
  }

  void give_back(PinnedMemory piece) {
    const std::lock_guard lock(lock_);
    idle_.push_back(std::move(piece));
  }

 private:
  static constexpr std::size_t kStep = std::size_t{1} << 20;  // so that slightly larger images find room

  std::mutex lock_;
  std::vector<PinnedMemory> idle_;
};

}  // namespace gpuccl::cuda
