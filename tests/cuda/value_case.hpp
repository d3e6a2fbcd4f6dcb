#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "cuda/device_case.hpp"
#include "gpuccl/device.hpp"
#include "support/catch.hpp"
#include "support/reference.hpp"
#include "support/values.hpp"

// label_values_on_device() with memory as callers have it, on a GPU or on the emulation of one.
namespace tests {

template <class L, class T>
void expect_values_on_device(const Values<T>& values, gpuccl::Connectivity connectivity, double delta,
                             const gpuccl::ValueLabeling& expected, std::mt19937& random) {
  using namespace gpuccl;
  using Place = CudaMemory::Place;
  const Extent extent = values.extent;
  const Label count = expected.labeled.labels->count();
  const std::size_t capacity = random() % 2 == 0 ? count + 3 : count / 2 + 1;
  const CudaStream stream;
  const DeviceArray data(type_of<T>(), extent, values.elements.data(), random, stream);
  std::vector<L> of_elements(values.elements.size(), 77);
  DeviceArray labels(type_of<L>(), extent, of_elements.data(), random, stream);
  const CudaMemory found(Place::device, 8), components(Place::device, capacity * sizeof(DeviceComponent)),
      first_values(Place::device, capacity * sizeof(ValueBits)),
      workspace(Place::device, device_value_workspace_bytes(extent, connectivity));
  for (const CudaMemory* memory : {&found, &components, &first_values, &workspace})
    REQUIRE(cudaMemsetAsync(memory->data(), 0xcd, memory->size(), stream.get()) == cudaSuccess);

  const DeviceValueImage out = labels.image();
  DeviceResult result;
  result.labels = {static_cast<L*>(const_cast<void*>(out.data)), out.row_pitch, out.slice_pitch};
  result.count = reinterpret_cast<unsigned long long*>(found.data());
  result.components = reinterpret_cast<DeviceComponent*>(components.data());
  result.capacity = capacity;
  label_values_on_device(data.image(delta), connectivity, result,
                         reinterpret_cast<ValueBits*>(first_values.data()), workspace.data(),
                         workspace.size(), stream.get());

  const auto downloaded = [&]<class U>(const CudaMemory& memory, U) {
    std::vector<U> host(memory.size() / sizeof(U));
    REQUIRE(cudaMemcpyAsync(host.data(), memory.data(), memory.size(), cudaMemcpyDeviceToHost,
                            stream.get()) == cudaSuccess);
    stream.wait();
    return host;
  };
  REQUIRE(downloaded(found, std::uint64_t{})[0] == count);
  const LabelImage image = render_all(*expected.labeled.labels);
  const std::vector<std::byte> bytes = labels.download(stream);
  std::memcpy(of_elements.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < of_elements.size(); ++i)
    if (of_elements[i] != std::min<Label>(image.data()[i], static_cast<L>(~L{0}))) FAIL("element " << i);
  const auto found_components = downloaded(components, DeviceComponent{});
  const auto found_values = downloaded(first_values, ValueBits{});
  for (std::size_t i = 0; i < std::min<std::size_t>(count, capacity); ++i) {
    REQUIRE(found_components[i].area == expected.labeled.components.area[i]);
    REQUIRE(found_components[i].sum[0] == expected.labeled.components.sum[i][0]);
    REQUIRE(found_components[i].max[2] == expected.labeled.components.box[i].max[2]);
    REQUIRE(found_values[i] == expected.values[i]);
  }
}

}  // namespace tests
