#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <thread>

#include "cuda/runtime/stream.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// N, and of which image, on the host.
struct CountCell {
  unsigned long long count, image;
};

/// Location where the device writes N, and then the image's number unless that is null: then nobody waits.
struct CountTarget {
  unsigned long long* count;
  unsigned long long* image_counted;
  unsigned long long image;

  __device__ void publish(unsigned long long counted) const {
    *count = counted;
    if (image_counted == nullptr) return;
    __threadfence_system();
    *static_cast<volatile unsigned long long*>(image_counted) = image;
  }
};

/// N as the device publishes it, while it goes on: nobody waits for a transfer, nor for what comes after in
/// the stream.
class CountOnHost {
 public:
  CountOnHost() = default;
  ~CountOnHost() {
    if (cell_ != nullptr) cudaFreeHost(cell_);
  }
  CountOnHost(const CountOnHost&) = delete;
  CountOnHost& operator=(const CountOnHost&) = delete;

  void reserve(const char* doing) {
    if (cell_ != nullptr) return;
    check(cudaMallocHost(reinterpret_cast<void**>(&cell_), sizeof(*cell_)), doing);
    *cell_ = {};
  }

  /// Makes all work enqueued later count the next image.
  void expect_next() { ++image_; }
  CountTarget target() const { return {&cell_->count, &cell_->image, image_}; }

  unsigned long long wait(const Stream& stream) const {
    while (!published() && !stream.is_done("labeling")) std::this_thread::yield();
    if (!published()) throw Error(Failure::internal, "the device has not counted components");
    return cell_->count;
  }

 private:
  bool published() const { return std::atomic_ref(cell_->image).load(std::memory_order_acquire) == image_; }

  CountCell* cell_ = nullptr;
  unsigned long long image_ = 0;
};

}  // namespace gpuccl::cuda
