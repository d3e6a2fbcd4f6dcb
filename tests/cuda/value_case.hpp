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

/// Rows of an array in memory, with something between them, by chance.
struct PaddedArray {
  std::int64_t row, slice, size;  // in elements

  PaddedArray(gpuccl::Extent extent, std::mt19937& random) {
    const bool padded = random() % 2 == 0;
    row = extent.width + (padded ? static_cast<std::int64_t>(random() % 9) : 0);
    slice = row * extent.height + (padded ? static_cast<std::int64_t>(random() % 20) : 0);
    size = slice * extent.depth;
  }
  std::size_t at(int x, int y, int z) const { return static_cast<std::size_t>(z * slice + y * row + x); }
};

template <class L, class T>
void expect_values_on_device(const Values<T>& values, gpuccl::Connectivity connectivity, double delta,
                             const gpuccl::ValueLabeling& expected, std::mt19937& random) {
  using namespace gpuccl;
  using Place = CudaMemory::Place;
  constexpr int kWatched = 0xcd;
  const Extent extent = values.extent;
  const auto visit_all = [&](auto visit) {
    for (int z = 0; z < extent.depth; ++z)
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x) visit(x, y, z);
  };
  const PaddedArray image(extent, random), out(extent, random);
  std::vector<T> padded(static_cast<std::size_t>(image.size), T{5});
  visit_all([&](int x, int y, int z) { padded[image.at(x, y, z)] = values.at(x, y, z); });

  const Label count = expected.labeled.labels->count();
  const std::size_t capacity = random() % 2 == 0 ? count + 3 : count / 2 + 1;
  const auto bytes = [](auto elements, std::size_t each) {
    return static_cast<std::size_t>(elements) * each;
  };
  const CudaMemory data(Place::device, bytes(image.size, sizeof(T))),
      labels(Place::device, bytes(out.size, sizeof(L))), found(Place::device, 8),
      components(Place::device, bytes(capacity, sizeof(DeviceComponent))),
      first_values(Place::device, bytes(capacity, sizeof(ValueBits))),
      workspace(Place::device, device_value_workspace_bytes(extent, connectivity));
  const CudaStream stream;
  const auto expect_success = [](cudaError_t status) { REQUIRE(status == cudaSuccess); };
  expect_success(
      cudaMemcpyAsync(data.data(), padded.data(), data.size(), cudaMemcpyHostToDevice, stream.get()));
  for (const CudaMemory* memory : {&labels, &found, &components, &first_values, &workspace})
    expect_success(cudaMemsetAsync(memory->data(), kWatched, memory->size(), stream.get()));

  DeviceResult result;
  result.labels = {reinterpret_cast<L*>(labels.data()), out.row * std::int64_t{sizeof(L)},
                   out.slice * std::int64_t{sizeof(L)}};
  result.count = reinterpret_cast<unsigned long long*>(found.data());
  result.components = reinterpret_cast<DeviceComponent*>(components.data());
  result.capacity = capacity;
  label_values_on_device({data.data(), type_of<T>(), extent, image.row * std::int64_t{sizeof(T)},
                          image.slice * std::int64_t{sizeof(T)}, delta},
                         connectivity, result, reinterpret_cast<ValueBits*>(first_values.data()),
                         workspace.data(), workspace.size(), stream.get());

  const auto downloaded = [&]<class U>(const CudaMemory& memory, U) {
    std::vector<U> host(memory.size() / sizeof(U));
    expect_success(
        cudaMemcpyAsync(host.data(), memory.data(), memory.size(), cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
    return host;
  };
  REQUIRE(downloaded(found, std::uint64_t{})[0] == count);
  const LabelImage image_of_labels = render_all(*expected.labeled.labels);
  L watched;
  std::memset(&watched, kWatched, sizeof watched);
  std::vector<L> all(static_cast<std::size_t>(out.size), watched);
  visit_all([&](int x, int y, int z) {
    all[out.at(x, y, z)] = static_cast<L>(std::min<Label>(image_of_labels(x, y, z), static_cast<L>(~L{0})));
  });
  REQUIRE(downloaded(labels, L{}) == all);
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
