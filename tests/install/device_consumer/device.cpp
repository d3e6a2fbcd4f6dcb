#include "gpuccl/device.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

int main() {
  const gpuccl::Connectivity connectivity = gpuccl::Connectivity::c8;
  const gpuccl::Extent extent{4, 3, 1};
  const std::uint8_t pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};  // 0 is background
  constexpr std::size_t kMax = 6;                                      // rows of the table
  cudaStream_t stream;
  std::uint8_t *mask, *cleaned;
  std::uint32_t* labels;
  unsigned long long* counts;
  std::int64_t* areas;
  void* workspace;
  cudaStreamCreate(&stream);
  cudaMalloc(&mask, sizeof(pixels));
  cudaMalloc(&cleaned, sizeof(pixels));
  cudaMalloc(&labels, sizeof(pixels) * sizeof(*labels));
  cudaMalloc(&counts, 2 * sizeof(*counts));
  cudaMalloc(&areas, kMax * sizeof(*areas));

  gpuccl::DeviceCleaning cleaning;  // keeps components of at least 2 pixels
  cleaning.image = gpuccl::DeviceImage{.data = mask, .extent = extent};
  cleaning.connectivity = connectivity;
  cleaning.min_size = 2;
  cleaning.out = cleaned;
  const gpuccl::DeviceColumn area{gpuccl::MeasureId::area, areas};
  gpuccl::DeviceMeasuring measuring;
  measuring.labels = {.data = labels, .type = gpuccl::ValueType::u32, .extent = extent};
  measuring.largest = kMax;
  measuring.columns = {&area, 1};
  measuring.capacity = kMax;
  measuring.count = counts + 1;
  const std::size_t bytes = std::max({gpuccl::device_clean_workspace_bytes(cleaning),
                                      gpuccl::device_workspace_bytes(extent, connectivity),
                                      gpuccl::device_measure_workspace_bytes(measuring)});
  cudaMalloc(&workspace, bytes);

  cudaMemcpyAsync(mask, pixels, sizeof(pixels), cudaMemcpyHostToDevice, stream);
  gpuccl::label_on_device({.data = mask, .extent = extent}, connectivity,
                          {.labels = {labels}, .count = counts}, workspace, bytes, stream);
  unsigned long long found[2] = {};  // components, and those that are left
  std::uint32_t last = 0;            // label of the pixel at (1, 2)
  std::int64_t size = 0;             // of the first that is left
  cudaMemcpyAsync(&last, labels + 9, sizeof(last), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(&found[0], counts, sizeof(found[0]), cudaMemcpyDeviceToHost, stream);

  gpuccl::clean_on_device(cleaning, workspace, bytes, stream);
  gpuccl::label_on_device({.data = cleaned, .extent = extent}, connectivity, {.labels = {labels}}, workspace,
                          bytes, stream);
  gpuccl::measure_on_device(measuring, workspace, bytes, stream);
  cudaMemcpyAsync(&found[1], counts + 1, sizeof(found[1]), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(&size, areas, sizeof(size), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("%llu components, label %u at (1, 2); %llu of at least 2 pixels, the first of %lld\n", found[0],
              last, found[1], static_cast<long long>(size));
}
