#include <vector>

#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/component_memory.cuh"

namespace gpuccl::cuda::runs {
namespace {

__global__ void clear_kernel(ComponentSums components, const unsigned long long* count, bool flat) {
  let_next_launch_begin();
  const std::uint64_t i = ThreadLine<>::mine();
  if (i < components.capacity && (count == nullptr || i < *count)) components.clear(i, flat);
}

}  // namespace

void clear_components(const ComponentSums& components, const unsigned long long* count, bool flat,
                      PhaseClock& phase) {
  if (components.capacity == 0) return;
  phase("Statistics: clear", clear_kernel, ThreadLine<>::shape(components.capacity), components, count, flat);
}

ComponentSums ComponentMemory::reserve(std::size_t count, bool flat, PhaseClock& phase) {
  count_ = count;
  sums_.reserve(count, "allocating component statistics");
  const ComponentSums components{sums_.data(), count};
  clear_components(components, nullptr, flat, phase);
  return components;
}

Components ComponentMemory::download(PinnedRing& ring, const Stream& stream) const {
  std::vector<DeviceComponent> sums(count_);
  ring.download(sums_.data(), count_ * sizeof(DeviceComponent), sums.data(), count_ * sizeof(DeviceComponent),
                1, stream);
  Components components;
  components.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    components.area[i] = sums[i].area;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      components.box[i].min[axis] = sums[i].min[axis];
      components.box[i].max[axis] = sums[i].max[axis];
      components.sum[i][axis] = sums[i].sum[axis];
    }
  }
  return components;
}

}  // namespace gpuccl::cuda::runs
