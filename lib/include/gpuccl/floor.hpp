#pragma once

#include "gpuccl/extent.hpp"

namespace gpuccl {

/// The memory-bandwidth bound, which no labeling can beat on a device: the time to read the input once and to
/// write the labels, 4 bytes an element, once. Medians in milliseconds.
struct StreamFloor {
  double from_bytes_ms = 0;  // input of 1 byte an element
  double from_bits_ms = 0;   // input of 1 bit an element
};

/// Measures on device `gpu` with kernels that do nothing else, by 16-byte accesses. Memory for input and
/// labels must be free. Throws Error (unavailable) without CUDA.
StreamFloor stream_floor(int gpu, Extent extent, int repetitions);

}  // namespace gpuccl
