// Labels a mask in GPU memory by a published algorithm, here "bke", on the caller's stream.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#include "gpuccl/device.hpp"

int main() {
  const gpuccl::Extent extent{4, 3, 1};
  const std::uint8_t pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};  // 0 is background
  cudaStream_t stream;
  std::uint8_t* mask;
  std::uint32_t* labels;
  unsigned long long* count;
  cudaStreamCreate(&stream);
  cudaMalloc(&mask, sizeof(pixels));
  cudaMalloc(&labels, sizeof(pixels) * sizeof(*labels));
  cudaMalloc(&count, sizeof(*count));

  gpuccl::DeviceLabeler bke("bke", gpuccl::Connectivity::c8);
  cudaMemcpyAsync(mask, pixels, sizeof(pixels), cudaMemcpyHostToDevice, stream);
  bke.label({.data = mask, .extent = extent}, {.data = labels}, count, stream);

  unsigned long long found = 0;
  std::uint32_t last = 0;  // of the pixel at (1, 2)
  cudaMemcpyAsync(&found, count, sizeof(found), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(&last, labels + 9, sizeof(last), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("%llu components, label %u at (1, 2)\n", found, last);
}
