#include <cstddef>

#include "common/components.hpp"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/statistics/component_memory.cuh"
#include "cuda/runtime/pinned_ring.hpp"

namespace gpuccl::cuda::runs {
namespace {

__global__ void clear_kernel(ComponentSums components, const unsigned long long* count, bool flat) {
  let_next_launch_begin();
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i < components.capacity && (count == nullptr || i < *count)) components.clear(i, flat);
}

}  // namespace

void clear_components(const ComponentSums& components, const unsigned long long* count, bool flat,
                      PhaseClock& phase) {
  phase("Statistics: clear", clear_kernel, ThreadLine<>::shape(components.capacity), components, count, flat);
}

ComponentSums ComponentMemory::reserve(std::size_t count) {
  count_ = count;
  sums_.reserve(count, "allocating component statistics");
  return {sums_.data(), count};
}

Components ComponentMemory::download(PinnedRing& ring, const Stream& stream) const {
  Components components = large_components(count_);
  for_each_column(components, touch_by_all_threads);
  const auto take = [&](std::size_t first, std::size_t count, const std::byte* entries) {
    const auto* const sums = reinterpret_cast<const DeviceComponent*>(entries);
    by_all_threads(count, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const DeviceComponent& sum = sums[i];
        components.area[first + i] = sum.area;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          components.box[first + i].min[axis] = sum.min[axis];
          components.box[first + i].max[axis] = sum.max[axis];
          components.sum[first + i][axis] = sum.sum[axis];
        }
      }
    });
  };
  ring.download(sums_.data(), count_, sizeof(DeviceComponent), take, stream);
  return components;
}

}  // namespace gpuccl::cuda::runs
