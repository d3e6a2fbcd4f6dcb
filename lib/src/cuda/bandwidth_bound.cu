#include <algorithm>
#include <vector>

#include "cuda/cuda.hpp"
#include "cuda/device/image_ref.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/detail/staged.hpp"

namespace gpuccl {
namespace cuda {
namespace {

constexpr const char* kDoing = "measuring the bandwidth bound";

using Line = ThreadLine<>;  // one thread per four elements, so that lanes store 16 bytes next to each other

/// Copies one byte per element to labels, four per thread.
__global__ void stream_bytes(const unsigned* input, uint4* labels, std::uint64_t quads) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= quads) return;

  const unsigned bytes = __ldg(input + i);
  labels[i] = make_uint4(bytes & 0xffu, bytes >> 8 & 0xffu, bytes >> 16 & 0xffu, bytes >> 24);
}

/// Streams an image of one bit per element.
__global__ void stream_bits(const unsigned* input, uint4* labels, std::uint64_t quads) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= quads) return;

  const unsigned bits = __ldg(input + i / 8) >> (4 * (i % 8));
  labels[i] = make_uint4(bits & 1u, bits >> 1 & 1u, bits >> 2 & 1u, bits >> 3 & 1u);
}

template <class Work>
double median_ms(int repetitions, const Stream& stream, const Work& work) {
  work();  // warms up
  std::vector<double> times;
  for (int i = 0; i < std::max(1, repetitions); ++i) times.push_back(device_ms(stream, work));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace
}  // namespace cuda

BandwidthBound measure_bandwidth_bound(int gpu, Extent extent, int repetitions) {
  using namespace cuda;
  start_up(gpu);
  const CurrentDevice current(gpu);
  const std::uint64_t quads = (static_cast<std::uint64_t>(extent.elements()) + 3) / 4;
  const Stream stream;
  DeviceBuffer<unsigned> input;
  DeviceBuffer<uint4> labels;
  input.reserve(quads, "allocating the image");
  labels.reserve(quads, "allocating the labels");
  if (quads == 0) return {};

  // Neither constant nor compressible, like labels.
  std::vector<unsigned> noise(quads);
  for (std::uint64_t i = 0; i < quads; ++i) noise[i] = static_cast<unsigned>(i * 2654435761u ^ i >> 7);
  check(cudaMemcpyAsync(input.data(), noise.data(), quads * sizeof(unsigned), cudaMemcpyHostToDevice,
                        stream.get()),
        kDoing);
  const auto time = [&](auto* kernel) {
    return median_ms(repetitions, stream, [&] {
      launch(kernel, Line::shape(quads), stream.get(), input.data(), labels.data(), quads);
      check(cudaGetLastError(), kDoing);
    });
  };
  BandwidthBound bound;
  bound.from_bytes_ms = time(stream_bytes);
  bound.from_bits_ms = time(stream_bits);
  return bound;
}

}  // namespace gpuccl
