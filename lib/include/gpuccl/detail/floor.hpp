#pragma once

#include "gpuccl/types.hpp"

#pragma GCC visibility push(default)
namespace gpuccl {

/// Bandwidth bound of labeling on a device: the time to read the input once and to write 4 bytes per
/// element once. Medians in milliseconds.
struct StreamFloor {
  double from_bytes_ms = 0;  // input of 1 byte an element
  double from_bits_ms = 0;   // input of 1 bit an element
};

/// Measures the bound on device `gpu` with kernels that do nothing else. Input and labels must fit into
/// free memory. Throws Error (unavailable) without CUDA.
StreamFloor stream_floor(int gpu, Extent extent, int repetitions);

}  // namespace gpuccl
#pragma GCC visibility pop
