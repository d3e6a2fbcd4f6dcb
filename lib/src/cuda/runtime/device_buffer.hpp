#pragma once

#include <cstddef>
#include <utility>

#include "cuda/runtime/device.hpp"

namespace gpuccl::cuda {

/// Device memory that is reused for the next image, and grows if that is larger.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { release(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Makes room for `count` values, which are not initialized. Old values are lost if the buffer grows.
  /// `doing`: for the error message.
  void reserve(std::size_t count, const char* doing) {
    if (count <= capacity_) return;
    release();
    check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), doing);
    capacity_ = count;
  }

  void release() {
    if (data_ != nullptr) cudaFree(std::exchange(data_, nullptr));
    capacity_ = 0;
  }

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace gpuccl::cuda
