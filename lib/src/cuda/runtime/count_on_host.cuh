#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <thread>

#include "cuda/runtime/stream.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// N on the host, and the image to which it belongs.
struct CountCell {
  unsigned long long count, image;
};

/// Location to which the device writes N, followed by the image's number. `image_counted` may be null if no
/// thread waits.
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

/// N, published by the device while it continues to work. The host waits neither for a transfer nor for later
/// work in the stream.
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

  /// Makes all work that is enqueued later count the next image.
  void expect_next() { ++image_; }
  CountTarget target() const { return {&cell_->count, &cell_->image, image_}; }

  unsigned long long wait(const Stream& stream) const {
    while (!published() && !stream.is_done("labeling")) std::this_thread::yield();
    if (!published()) throw Error(ErrorCode::internal, "the device has not counted components");
    return cell_->count;
  }

 private:
  bool published() const { return std::atomic_ref(cell_->image).load(std::memory_order_acquire) == image_; }

  CountCell* cell_ = nullptr;
  unsigned long long image_ = 0;
};

}  // namespace gpuccl::cuda
