#pragma once

#include "cuda/runtime/stream.hpp"

namespace gpuccl::cuda {

/// N on the host, where the device itself writes it: nobody waits for a transfer.
class CountOnHost {
 public:
  CountOnHost() = default;
  ~CountOnHost() {
    if (count_ != nullptr) cudaFreeHost(count_);
  }
  CountOnHost(const CountOnHost&) = delete;
  CountOnHost& operator=(const CountOnHost&) = delete;

  void reserve(const char* doing) {
    if (count_ != nullptr) return;
    check(cudaMallocHost(reinterpret_cast<void**>(&count_), sizeof(*count_)), doing);
    *count_ = 0;
  }
  /// Where the device writes it.
  unsigned long long* data() const { return count_; }

  /// What is in the stream by now writes it.
  void comes_from(const Stream& stream) { written_.record(stream.get(), "labeling"); }
  unsigned long long wait() const {
    written_.wait("labeling");
    return *count_;
  }

 private:
  unsigned long long* count_ = nullptr;
  Event written_{Event::Purpose::waiting};
};

}  // namespace gpuccl::cuda
