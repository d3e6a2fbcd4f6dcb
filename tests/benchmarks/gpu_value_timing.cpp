// Times label_values_on_device() on generated images of values, in milliseconds between two events, medians,
// and as multiples of the floor: a copy on the device that reads and writes as many bytes as reading the
// values and writing labels of 4 bytes takes. With --steps, the phases of labeling values of the host, one by
// one. Labels are compared with the CPU's N only; gpu_tests compares the rest.

#include <cuda_runtime_api.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "device_stopwatch.hpp"
#include "gpuccl/device.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/values.hpp"

using namespace gpuccl;
using tests::check;
using tests::kRepetitions;
using tests::median_ms;
using tests::Memory;

namespace {

std::uint32_t hash(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return h ^ h >> 15;
}

/// Cells around a point each, one in every cube of `cell` elements, as neurons or grains; with `classes` the
/// values of cells are of so many, so some neighbors have the same.
std::vector<std::uint32_t> cells(Extent extent, int cell, std::uint32_t classes) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(extent.elements()));
  const bool flat = extent.depth == 1;
  tbb::parallel_for(std::int64_t{0}, extent.rows(), [&](std::int64_t row) {
    const int y = static_cast<int>(row % extent.height), z = static_cast<int>(row / extent.height);
    for (int x = 0; x < extent.width; ++x) {
      std::int64_t nearest = INT64_MAX;
      std::uint32_t value = 0;
      for (int dz = flat ? 0 : -1; dz <= (flat ? 0 : 1); ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            const int i = x / cell + dx, j = y / cell + dy, k = z / cell + dz;
            const std::uint32_t h = hash(std::uint32_t(i), std::uint32_t(j), std::uint32_t(k));
            const auto at = [&](int index, unsigned shift) { return index * cell + int(h >> shift) % cell; };
            const std::int64_t a = x - at(i, 1), b = y - at(j, 9), c = flat ? 0 : z - at(k, 17);
            const std::int64_t distance = a * a + b * b + c * c;
            if (distance >= nearest) continue;
            nearest = distance;
            value = classes > 0 ? h % (classes + 1) : h | 1;
          }
      values[static_cast<std::size_t>(row) * static_cast<std::size_t>(extent.width) +
             static_cast<std::size_t>(x)] = value;
    }
  });
  return values;
}

/// Noise of so many values and 0.
std::vector<std::uint32_t> noise(Extent extent, std::uint32_t kinds) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(extent.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = hash(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 7) % (kinds + 1);
  return values;
}

template <class T>
void time_as(const char* name, const std::vector<std::uint32_t>& image, Extent extent,
             Connectivity connectivity, ValueType type, bool steps, cudaStream_t stream) {
  const std::vector<T> host(image.begin(), image.end());
  const std::size_t bytes = host.size() * sizeof(T), label_bytes = host.size() * sizeof(std::uint32_t);
  const auto read = [&] {
    ValueImage values(extent, type);
    tbb::parallel_for(std::int64_t{0}, extent.rows(), [&](std::int64_t row) {
      values.add_rows(row, 1, reinterpret_cast<const std::byte*>(host.data() + row * extent.width));
    });
    return values;
  };
  const Label expected = label_values(read(), connectivity).labeled.labels->count();
  const std::size_t needed = device_value_workspace_bytes(extent, connectivity);
  const std::size_t copied = (bytes + label_bytes) / 2;
  const Memory data(std::max(bytes, copied)), labels(std::max(label_bytes, copied)), workspace(needed),
      count(8), components(expected * sizeof(DeviceComponent));
  check(cudaMemcpy(data.as<void>(), host.data(), bytes, cudaMemcpyHostToDevice));
  const double floor = median_ms(stream, [&] {
    check(cudaMemcpyAsync(labels.as<void>(), data.as<void>(), copied, cudaMemcpyDeviceToDevice, stream));
  });
  DeviceResult result;
  result.labels.data = labels.as<std::uint32_t>();
  result.count = count.as<unsigned long long>();
  const auto label = [&] {
    label_values_on_device({.data = data.as<void>(), .type = type, .extent = extent}, connectivity, result,
                           nullptr, workspace.as<void>(), needed, stream);
  };
  const double alone = median_ms(stream, label);
  unsigned long long found = 0;
  check(cudaMemcpy(&found, result.count, sizeof(found), cudaMemcpyDeviceToHost));
  result.components = components.as<DeviceComponent>();
  result.capacity = expected;
  const double with_components = median_ms(stream, label);
  std::printf(
      "%-28s %2zu bytes, %2d-connectivity: %8.4f ms = %4.2f floors of %7.4f; with components %8.4f%s\n", name,
      sizeof(T), static_cast<int>(connectivity), alone, alone / floor, floor, with_components,
      found == expected ? "" : "  WRONG");
  if (!steps) return;
  EngineOptions options{.device = DeviceChoice::cuda};
  options.time_phases = true;
  Engine engine(options, nullptr);
  PhaseTimes phases;
  for (int i = 0; i < 3; ++i) phases = engine.label_values(read(), connectivity).labeled.phases;
  for (const PhaseTime& phase : phases)
    std::printf("    %-14s %8.4f\n", phase.phase.c_str(), phase.milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
  using enum Connectivity;
  const bool steps = argc > 1 && std::string(argv[1]) == "--steps";
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto time_all = [&](const char* name, const std::vector<std::uint32_t>& image, Extent extent,
                            std::vector<Connectivity> connectivities) {
    for (const Connectivity connectivity : connectivities) {
      time_as<std::uint32_t>(name, image, extent, connectivity, ValueType::u32, steps, stream);
      time_as<std::uint8_t>(name, image, extent, connectivity, ValueType::u8, false, stream);
      time_as<std::uint64_t>(name, image, extent, connectivity, ValueType::u64, false, stream);
    }
  };
  const Extent flat{8192, 8192, 1}, deep{512, 512, 512};
  time_all("512^3, 2,000 objects", cells(deep, 40, 0), deep, {c26, c18, c6});
  time_all("512^3, 4 classes", cells(deep, 40, 4), deep, {c26, c6});
  time_all("512^3, objects of 8", cells(deep, 8, 0), deep, {c26});
  time_all("512^3, noise of 3", noise(deep, 3), deep, {c26});
  time_all("8192^2, cells of 40", cells(flat, 40, 0), flat, {c8, c4});
  time_all("8192^2, 4 classes", cells(flat, 40, 4), flat, {c8});
  time_all("8192^2, noise of 3", noise(flat, 3), flat, {c8});
  check(cudaStreamDestroy(stream));
}
