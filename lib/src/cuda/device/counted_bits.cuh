#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace gpuccl::cuda {

/// A bitmap on the device and the running count of its set bits, from which the rank of a bit follows
/// directly. Bit p is bit p % 32 of word p / 32.
struct CountedBits {
  const std::uint32_t* words = nullptr;
  const std::uint32_t* before = nullptr;  // set bits before each group of four words

  /// Returns the number of set bits up to bit `position`, inclusive.
  template <class Position>
  __device__ std::uint32_t up_to(Position position) const {
    const Position group = position / 128;
    const uint4 bits = reinterpret_cast<const uint4*>(words)[group];
    const int word = static_cast<int>(position / 32 % 4);
    const std::uint32_t last = (2u << static_cast<int>(position % 32)) - 1;
    int count = __popc(bits.x & (word > 0 ? ~0u : last));
    if (word > 0) count += __popc(bits.y & (word > 1 ? ~0u : last));
    if (word > 1) count += __popc(bits.z & (word > 2 ? ~0u : last));
    if (word > 2) count += __popc(bits.w & last);
    return before[group] + static_cast<std::uint32_t>(count);
  }
};

}  // namespace gpuccl::cuda
