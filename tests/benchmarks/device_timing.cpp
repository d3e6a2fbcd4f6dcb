// Times label_on_device() on generated images, in milliseconds between two events, medians: by how image and
// labels lie in memory, in a stream and from a CUDA graph; last, the microseconds that a call takes the host.
// Labels are compared with the CPU's N only; gpu_tests compares the rest.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "app/bench/generate.hpp"
#include "device_stopwatch.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/device.hpp"

using namespace gpuccl;
using tests::check;
using tests::kRepetitions;
using tests::median_ms;
using tests::Memory;

namespace {

constexpr std::size_t kComponents = 1 << 20;  // for all but noise far more than there are

struct Case {
  Extent extent;
  Connectivity connectivity;
  double density;
  int granularity;
  std::string kind = "random";
};

struct Layout {
  const char* name;
  DeviceImage::Format format;
  int row_pad = 0;        // bytes
  int label_bytes = 4;    // 0: no labels
  int label_row_pad = 0;  // labels
  enum { nothing, room_enough, room_for_all } components = nothing;
};

/// The image as it lies in memory.
std::vector<std::uint8_t> laid_out(const BitVolume& image, const Layout& layout, std::int64_t pitch) {
  const Extent extent = image.extent();
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(extent.rows() * pitch));
  for (std::int64_t row = 0; row < extent.rows(); ++row) {
    std::uint8_t* const to = bytes.data() + row * pitch;
    const std::uint32_t* const words = image.row(row);
    if (layout.format == DeviceImage::Format::bits)
      std::memcpy(to, words, static_cast<std::size_t>(pitch - layout.row_pad));  // little-endian
    else
      for (int x = 0; x < extent.width; ++x) to[x] = words[x / 32] >> x % 32 & 1u;
  }
  return bytes;
}

void time_one(const Layout& layout, Connectivity connectivity, const BitVolume& image, Label expected,
              cudaStream_t stream) {
  const Extent extent = image.extent();
  const std::int64_t row = layout.format == DeviceImage::Format::bits ? (extent.width + 7) / 8 : extent.width;
  const std::int64_t pitch = row + layout.row_pad;
  const std::int64_t label_pitch = (extent.width + layout.label_row_pad) * std::int64_t{layout.label_bytes};
  const std::vector<std::uint8_t> host = laid_out(image, layout, pitch);
  const std::size_t bytes = device_workspace_bytes(extent, connectivity);
  const std::size_t capacity = layout.components == Layout::room_enough ? kComponents : expected;
  const Memory data(host.size()), workspace(bytes), count(8), components(capacity * sizeof(DeviceComponent));
  const Memory labels(static_cast<std::size_t>(extent.rows() * label_pitch + 1));
  check(cudaMemcpy(data.as<void>(), host.data(), host.size(), cudaMemcpyHostToDevice));

  DeviceResult result;
  if (layout.label_bytes == 4) result.labels.data = labels.as<std::uint32_t>();
  if (layout.label_bytes == 2) result.labels.data = labels.as<std::uint16_t>();
  result.labels.row_pitch = label_pitch;
  result.count = count.as<unsigned long long>();
  if (layout.components != Layout::nothing) {
    result.components = components.as<DeviceComponent>();
    result.capacity = capacity;
  }
  const auto label = [&] {
    label_on_device({data.as<void>(), layout.format, extent, pitch}, connectivity, result,
                    workspace.as<void>(), bytes, stream);
  };
  const double in_stream = median_ms(stream, label);
  unsigned long long found = 0;
  check(cudaMemcpy(&found, result.count, sizeof(found), cudaMemcpyDeviceToHost));
  if (found != expected) {
    std::printf("  %-44s WRONG: %llu components\n", layout.name, found);
    return;
  }

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  label();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  const double from_graph = median_ms(stream, [&] { check(cudaGraphLaunch(exec, stream)); });
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));

  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 50;
  const auto begin = Clock::now();
  for (int i = 0; i < kCalls; ++i) label();
  const double host_us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / kCalls;
  check(cudaStreamSynchronize(stream));
  std::printf("  %-44s %8.4f  graph %8.4f  host %6.1f us\n", layout.name, in_stream, from_graph, host_us);
}

}  // namespace

int main() {
  using enum Connectivity;
  constexpr auto kBits = DeviceImage::Format::bits, kBytes = DeviceImage::Format::bytes;
  const std::vector<Case> cases = {
      {{8192, 8192, 1}, c8, 0.5, 8},         {{8192, 8192, 1}, c8, 0.1, 1}, {{2048, 2048, 1}, c8, 0.1, 4},
      {{2048, 2048, 1}, c8, 0.5, 16},        {{2048, 2048, 1}, c8, 0.4, 1}, {{2048, 2048, 1}, c8, 0.5, 1},
      {{1024, 1024, 1}, c8, 0.5, 1, "page"}, {{1920, 1080, 1}, c8, 0.5, 8}, {{1001, 1001, 1}, c8, 0.5, 8},
      {{512, 512, 512}, c26, 0.3, 4},        {{128, 128, 128}, c26, 0.3, 4}};
  const std::vector<Layout> layouts = {
      {"bits", kBits},
      {"bits, rows at odd addresses", kBits, 1},
      {"bytes", kBytes},
      {"bytes, rows at odd addresses", kBytes, 1},
      {"bytes, labels of 2 bytes", kBytes, 0, 2},
      {"bytes, labels in rows of an odd pitch", kBytes, 0, 4, 1},
      {"bytes, labels and components", kBytes, 0, 4, 0, Layout::room_enough},
      {"bytes, labels and N components", kBytes, 0, 4, 0, Layout::room_for_all},
      {"bytes, components and no labels", kBytes, 0, 0, 0, Layout::room_enough}};
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const Case& one : cases) {
    std::printf("%s %dx%dx%d, %d-connectivity, density %g granularity %d:\n", one.kind.c_str(),
                one.extent.width, one.extent.height, one.extent.depth, static_cast<int>(one.connectivity),
                one.density, one.granularity);
    const BitVolume image = generate(
        {.kind = one.kind, .extent = one.extent, .density = one.density, .granularity = one.granularity});
    const auto on_cpu = find_variant(*find_algorithm("runs", DeviceKind::cpu), one.connectivity)->make(0);
    const Label expected = on_cpu->label(image.view()).labels->count();
    for (const Layout& layout : layouts) time_one(layout, one.connectivity, image, expected, stream);
  }
  check(cudaStreamDestroy(stream));
}
