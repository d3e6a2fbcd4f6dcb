#include "gpuccl/device.hpp"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

int main() {
  const gpuccl::Connectivity connectivity = gpuccl::Connectivity::c8;
  const gpuccl::Extent extent{4, 3, 1};
  const std::uint8_t pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};  // 0 is background
  const std::size_t bytes = gpuccl::device_workspace_bytes(extent, connectivity);
  cudaStream_t stream;
  std::uint8_t* mask;
  std::uint32_t* labels;
  unsigned long long* count;
  void* workspace;
  cudaStreamCreate(&stream);
  cudaMalloc(&mask, sizeof(pixels));
  cudaMalloc(&labels, sizeof(pixels) * sizeof(*labels));
  cudaMalloc(&count, sizeof(*count));
  cudaMalloc(&workspace, bytes);

  cudaMemcpyAsync(mask, pixels, sizeof(pixels), cudaMemcpyHostToDevice, stream);
  gpuccl::label_on_device({.data = mask, .extent = extent}, connectivity,
                          {.labels = {labels}, .count = count}, workspace, bytes, stream);

  unsigned long long found = 0;
  std::uint32_t last = 0;  // of the pixel at (1, 2)
  cudaMemcpyAsync(&found, count, sizeof(found), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(&last, labels + 9, sizeof(last), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("%llu components, label %u at (1, 2)\n", found, last);
}
