// label_on_device() on a real GPU: repeatedly in the same memory, in parallel
// streams, from CUDA graphs, in every layout.

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cuda/device_case.hpp"
#include "support/catch.hpp"
#include "support/images.hpp"
#include "support/reference.hpp"

using namespace gpuccl;
using namespace tests;
using Place = CudaMemory::Place;

// The linker has every call of the program that allocates memory, the library's too, end here
// (tests/cuda/CMakeLists.txt).
namespace {
std::atomic<std::size_t> allocations;
}
extern "C" {
cudaError_t __real_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
  ++allocations;
  return __real_cudaMalloc(memory, bytes);
}
cudaError_t __real_cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t __wrap_cudaMallocHost(void** memory, std::size_t bytes) {
  ++allocations;
  return __real_cudaMallocHost(memory, bytes);
}
cudaError_t __real_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  ++allocations;
  return __real_cudaHostAlloc(memory, bytes, flags);
}
}

namespace {

std::string described(Extent extent, Connectivity connectivity) {
  return std::to_string(static_cast<int>(connectivity)) + "-connectivity, " + to_string(extent);
}

/// Random images of one extent, several cases for them, and one workspace for all.
class Queue {
 public:
  Queue(Extent extent, Connectivity connectivity, std::uint32_t seed)
      : connectivity_(connectivity), workspace_(Place::device, device_workspace_bytes(extent, connectivity)) {
    std::mt19937 random(seed);
    for (int i = 0; i < 4; ++i)
      cases_.push_back(std::make_unique<DeviceCase>(extent, random_layout(random), 3000));
    for (std::uint32_t i = 0; i < 6; ++i)
      images_.emplace_back(extent, connectivity, 0.1 + 0.1 * i, 1 + static_cast<int>(i % 3), seed + i);
  }

  /// Labels an image of round `round` in each case.
  void enqueue(std::size_t round) {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      cases_[i]->upload(image(round, i).image, stream_);
      cases_[i]->label(connectivity_, workspace_, stream_);
      cases_[i]->download(stream_);
    }
  }
  void expect(std::size_t round) const {
    stream_.wait();
    for (std::size_t i = 0; i < cases_.size(); ++i) cases_[i]->expect(image(round, i).expected);
  }
  std::size_t calls() const { return cases_.size(); }

 private:
  const Known& image(std::size_t round, std::size_t i) const { return images_[(round + i) % images_.size()]; }

  Connectivity connectivity_;
  CudaMemory workspace_;
  CudaStream stream_;
  std::vector<std::unique_ptr<DeviceCase>> cases_;
  std::vector<Known> images_;
};

/// So many calls in two streams, of flat images in one and of volumes in the other.
void expect_calls(std::size_t calls, Extent flat, Extent deep) {
  Queue a(flat, Connectivity::c8, 1), b(deep, Connectivity::c26, 2);
  std::size_t allocated = 0;
  for (std::size_t round = 0; round * (a.calls() + b.calls()) < calls; ++round) {
    CAPTURE(round);
    a.enqueue(round);
    b.enqueue(round);
    a.expect(round);
    b.expect(round);
    if (round == 0) allocated = allocations;
  }
  CHECK(allocated > 0);
  CHECK(allocations == allocated);
}

void expect_random_layouts(int rounds, int most, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto up_to = [&](int limit) { return 1 + static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < rounds; ++round)
    for (const Connectivity connectivity : kConnectivities) {
      Extent extent{up_to(most), up_to(most), 1};
      if (is_3d(connectivity) || round % 4 == 0) extent = {up_to(most / 2), up_to(most / 8), up_to(most / 8)};
      if (round % 3 == 0) extent.width = (extent.width + 31) / 32 * 32;  // rows of whole words
      INFO(described(extent, connectivity) << ", round " << round);
      const Known known(extent, connectivity, 0.05 * up_to(15), up_to(4), static_cast<std::uint32_t>(round));
      expect_on_device(known.image, connectivity, random_layout(random), known.expected);
    }
}

/// Graphs are launched with other images than they were captured with, and one after the other without a
/// pause.
void expect_graphs(Extent extent, Connectivity connectivity, int rounds) {
  INFO(described(extent, connectivity));
  const CudaStream stream;
  DeviceCase one(extent, {}, 5000), two(extent, {}, 5000);
  const CudaMemory workspace(Place::device, device_workspace_bytes(extent, connectivity));
  const Known dense(extent, connectivity, 0.6, 2, 1), sparse(extent, connectivity, 0.3, 1, 2);
  one.upload(dense.image, stream);
  one.label(connectivity, workspace, stream);  // loads the kernels
  stream.wait();
  const CapturedGraph both(stream, [&] {
    one.label(connectivity, workspace, stream);
    two.label(connectivity, workspace, stream);
  });
  const CapturedGraph again(stream, [&] { two.label(connectivity, workspace, stream); });
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const bool swapped = round % 2 != 0;
    one.upload(swapped ? sparse.image : dense.image, stream);
    two.upload(swapped ? dense.image : sparse.image, stream);
    both.launch(stream);
    again.launch(stream);
    both.launch(stream);
    one.download(stream);
    two.download(stream);
    stream.wait();
    one.expect(swapped ? sparse.expected : dense.expected);
    two.expect(swapped ? dense.expected : sparse.expected);
  }
}

/// Every algorithm of the table on images of these extents, again and again.
void expect_algorithms(Extent flat, Extent deep, int rounds) {
  std::mt19937 random(7);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cuda) continue;
    for (const Variant& variant : algorithm.variants) {
      INFO(algorithm.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
      DeviceLabeler labeler(algorithm.name, variant.connectivity);
      std::vector<Known> all;
      for (const Extent extent : {Extent{flat.width / 2, flat.height / 2, 1}, flat, deep})
        for (std::uint32_t seed = 0; seed < 2; ++seed)
          all.emplace_back(extent, variant.connectivity, 0.3 + 0.2 * seed, 1 + static_cast<int>(seed), seed);
      for (int round = 0; round < rounds; ++round) expect_on_device(labeler, all, random);
    }
  }
}

}  // namespace

TEST_CASE("every algorithm in memory of the device", "[small]") {
  expect_algorithms({129, 70, 1}, {65, 9, 5}, 1);
}

TEST_CASE("every algorithm in memory of the device, again and again") {
  expect_algorithms({301, 200, 1}, {96, 21, 18}, 4);
}

TEST_CASE("the device API in random layouts", "[small]") { expect_random_layouts(4, 150, 1); }

TEST_CASE("the device API in two streams and from graphs", "[small]") {
  expect_calls(16, {129, 70, 1}, {65, 9, 5});
  expect_graphs({129, 70, 1}, Connectivity::c4, 2);
  expect_graphs({64, 9, 5}, Connectivity::c18, 2);
}

TEST_CASE("the engine allocates nothing for an image of a size that it has seen", "[small]") {
  for (const Connectivity connectivity : kConnectivities) {
    INFO(static_cast<int>(connectivity) << "-connectivity");
    const auto labeler = find_variant(*find_algorithm("runs", DeviceKind::cuda), connectivity)->make(0);
    const Known one({200, 150, 1}, connectivity, 0.5, 1, 1), other({200, 150, 1}, connectivity, 0.5, 1, 2);
    labeler->label(other.image.view());
    labeler->label(one.image.view());
    const std::size_t allocated = allocations;
    for (int i = 0; i < 3; ++i) expect_same(labeler->label(one.image.view()), one.expected);
    CHECK(allocations == allocated);
  }
}

TEST_CASE("the device API, once", "[one]") {
  const Known known({129, 70, 1}, Connectivity::c8, 0.5, 1, 1);
  DeviceLayout odd;
  odd.image_offset = odd.row_pad = odd.label_offset = odd.label_row_pad = 3;
  expect_on_device(known.image, Connectivity::c8, odd, known.expected);
}

TEST_CASE("the device API in many random layouts") { expect_random_layouts(40, 700, 2); }

TEST_CASE("the device API, 10,000 calls in two streams with memory that is used again") {
  expect_calls(10000, {301, 200, 1}, {96, 21, 18});
}

TEST_CASE("the device API from graphs, at every connectivity") {
  for (const Connectivity connectivity : kConnectivities) {
    expect_graphs({1000, 700, 1}, connectivity, 6);
    expect_graphs({160, 60, 40}, connectivity, 6);
  }
}
