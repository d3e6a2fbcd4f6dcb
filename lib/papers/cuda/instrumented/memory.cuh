#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "papers/cuda/labelers/pixel_labeler.cuh"

// Replaces cuda/device/memory.cuh by versions that count every access and every find step, and a labeler that
// reads the counts after each launch.
namespace gpuccl::instrumented {

using namespace gpuccl::cuda;

/// Counts of one thread in a launch.
struct ThreadWork {
  std::uint32_t steps, atomics;
};

namespace {
__device__ Accesses counts;          // of the current kernel
__device__ ThreadWork* thread_work;  // counts per thread, block after block; null if not requested
}  // namespace

__device__ inline void count(unsigned long long& accesses) { atomicAdd(&accesses, 1ull); }

__device__ inline void count(std::uint32_t ThreadWork::*what) {
  if (thread_work == nullptr) return;
  const std::size_t block = blockIdx.x + std::size_t{gridDim.x} * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  ++(thread_work[block * (blockDim.x * blockDim.y) + thread].*what);
}

/// Base of both kinds of access: counts steps along links in any memory.
struct CountsSteps {
  __device__ static void step() { count(&ThreadWork::steps); }
};

struct SharedByThreads : CountsSteps {
  __device__ static Label load(const Label* p) {
    count(counts.reads);
    return cuda::SharedByThreads::load(p);
  }
  __device__ static void store(Label* p, Label v) {
    count(counts.writes);
    cuda::SharedByThreads::store(p, v);
  }
  __device__ static void store_pair(Label* p, Label first, Label second) {
    count(counts.writes);
    cuda::SharedByThreads::store_pair(p, first, second);
  }
  __device__ static Label fetch_min(Label* p, Label v) {
    count(counts.atomics);
    count(&ThreadWork::atomics);
    return cuda::SharedByThreads::fetch_min(p, v);
  }
  __device__ static Label exchange_if(Label* p, Label expected, Label v) {
    count(counts.atomics);
    count(&ThreadWork::atomics);
    return cuda::SharedByThreads::exchange_if(p, expected, v);
  }
};

struct FreshByThreads : SharedByThreads {
  __device__ static Label load(const Label* p) {
    count(counts.reads);
    return cuda::FreshByThreads::load(p);
  }
};

struct SharedByBlock : CountsSteps {
  __device__ static Label load(const Label* p) {
    count(counts.tile_reads);
    return cuda::SharedByBlock::load(p);
  }
  __device__ static void store(Label* p, Label v) {
    count(counts.tile_writes);
    cuda::SharedByBlock::store(p, v);
  }
  __device__ static Label fetch_min(Label* p, Label v) {
    count(counts.tile_atomics);
    count(&ThreadWork::atomics);
    return cuda::SharedByBlock::fetch_min(p, v);
  }
};

template <class T>
__device__ T load_input(const T* p) {
  count(counts.image_reads);
  return cuda::load_input(p);
}

namespace {

/// Sums the work of the threads of each thread block: one thread per block of `threads` threads.
__global__ void add_up_work(const ThreadWork* work, unsigned threads, std::size_t blocks, BlockWork* sums) {
  const std::size_t block = ThreadLine<>::of_this_thread();
  if (block >= blocks) return;
  BlockWork sum;
  for (unsigned i = 0; i < threads; ++i) {
    const ThreadWork of_thread = work[block * threads + i];
    sum.steps += of_thread.steps;
    sum.longest = max(sum.longest, of_thread.steps);
    sum.atomics += of_thread.atomics;
  }
  sums[block] = sum;
}

}  // namespace

/// Reads `counts` and `thread_work` of this file.
class Counter final : public LaunchCounter {
 public:
  void begin(const LaunchShape& shape, cudaStream_t stream) override {
    stream_ = stream;
    blocks_a_row_ = shape.grid.x;
    blocks_ = std::size_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    threads_ = shape.block.x * shape.block.y;
    work_.reserve(blocks_ * threads_, kDoing);
    sums_.reserve(blocks_, kDoing);
    check(cudaMemsetAsync(address_of(counts), 0, sizeof(Accesses), stream), kDoing);
    check(cudaMemsetAsync(work_.data(), 0, blocks_ * threads_ * sizeof(ThreadWork), stream), kDoing);
    set_work(work_.data());
  }

  void end(PhaseTime& launch) override {
    launch.blocks.resize(blocks_);
    launch.blocks_a_row = blocks_a_row_;
    cuda::launch(add_up_work, ThreadLine<>::shape(blocks_), stream_, work_.data(), threads_, blocks_,
                 sums_.data());
    check(cudaGetLastError(), kDoing);
    download(&launch.accesses, address_of(counts), sizeof launch.accesses);
    download(launch.blocks.data(), sums_.data(), blocks_ * sizeof(BlockWork));
    set_work(nullptr);
    launch.work.blocks = blocks_;
    for (const BlockWork& block : launch.blocks) {
      launch.work.steps += {block.steps, block.steps};
      launch.work.longest += {block.longest, block.longest};
      launch.work.atomics += {block.atomics, block.atomics};
    }
  }

 private:
  static constexpr const char* kDoing = "counting";

  template <class T>
  static void* address_of(T& counter) {
    void* on_device = nullptr;
    check(cudaGetSymbolAddress(&on_device, counter), kDoing);
    return on_device;
  }
  void set_work(ThreadWork* work) {
    check(cudaMemcpyAsync(address_of(thread_work), &work, sizeof work, cudaMemcpyHostToDevice, stream_),
          kDoing);
    check(cudaStreamSynchronize(stream_), kDoing);
  }
  void download(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), kDoing);
  }

  cudaStream_t stream_ = nullptr;
  unsigned blocks_a_row_ = 0, threads_ = 0;
  std::size_t blocks_ = 0;
  DeviceBuffer<ThreadWork> work_;
  DeviceBuffer<BlockWork> sums_;
};

/// Base class of algorithms compiled in this namespace.
class PixelLabeler : public cuda::PixelLabeler {
 public:
  using cuda::PixelLabeler::PixelLabeler;

 private:
  LaunchCounter* counter() final { return &counter_; }

  Counter counter_;
};

}  // namespace gpuccl::instrumented
