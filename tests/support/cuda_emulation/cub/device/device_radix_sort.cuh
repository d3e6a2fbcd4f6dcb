#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cuda/runtime/launch.cuh"

namespace cub {

/// The sort of CUB, as a launch of one thread.
struct DeviceRadixSort {
  template <class Key, class Value>
  static cudaError_t SortPairs(void* memory, std::size_t& bytes, const Key* keys, Key* sorted_keys,
                               const Value* values, Value* sorted_values, std::uint32_t count, int first_bit,
                               int end_bit, cudaStream_t stream) {
    if (memory == nullptr) {
      bytes = 1;
      return cudaSuccess;
    }
    emulation::enqueue_launch(stream, dim3(1), dim3(1), false, [=] {
      const Key bits = (end_bit < 64 ? Key{1} << end_bit : Key{0}) - 1;
      std::vector<std::uint32_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return (keys[a] & bits) >> first_bit < (keys[b] & bits) >> first_bit;
      });
      for (std::uint32_t i = 0; i < count; ++i) {
        sorted_keys[i] = keys[order[i]];
        sorted_values[i] = values[order[i]];
      }
    });
    return cudaSuccess;
  }
};

}  // namespace cub
