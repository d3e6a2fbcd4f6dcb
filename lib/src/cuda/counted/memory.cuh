#pragma once

#include "cuda/device/memory.cuh"
#include "cuda/labelers/pixel_labeler.cuh"

// What cuda/device/memory.cuh has, with every access counted, and a labeler that reads the counts after each
// phase.
namespace gpuccl::counted {

using namespace gpuccl::cuda;

namespace {
__device__ Accesses counts;  // of the kernel that runs
}

__device__ inline void count(unsigned long long& accesses) { atomicAdd(&accesses, 1ull); }

struct SharedByThreads {
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
    return cuda::SharedByThreads::fetch_min(p, v);
  }
};

struct FreshByThreads : SharedByThreads {
  __device__ static Label load(const Label* p) {
    count(counts.reads);
    return cuda::FreshByThreads::load(p);
  }
};

struct SharedByBlock {
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
    return cuda::SharedByBlock::fetch_min(p, v);
  }
};

template <class T>
__device__ T load_input(const T* p) {
  count(counts.image_reads);
  return cuda::load_input(p);
}

/// What algorithms compiled in this namespace derive from.
class PixelLabeler : public cuda::PixelLabeler {
 public:
  using cuda::PixelLabeler::PixelLabeler;

 private:
  Accesses* accesses() const final {
    void* on_device = nullptr;
    check(cudaGetSymbolAddress(&on_device, counts), "finding the counters");
    return static_cast<Accesses*>(on_device);
  }
};

}  // namespace gpuccl::counted
