#include <vector>

#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/component_memory.cuh"

namespace gpuccl::cuda::runs {
namespace {

__global__ void clear_components(ComponentSums components) {
  let_next_launch_begin();
  const std::uint64_t i = ThreadLine<>::mine();
  if (i < components.count) components.clear(i);
}

}  // namespace

ComponentSums ComponentMemory::reserve(std::size_t count, PhaseClock& phase) {
  count_ = count;
  sums_.reserve(count, "allocating component statistics");
  const ComponentSums components{sums_.data(), count};
  if (count > 0) phase("Statistics: clear", clear_components, ThreadLine<>::shape(count), components);
  return components;
}

Components ComponentMemory::download(PinnedRing& ring, const Stream& stream) const {
  std::vector<ComponentSum> sums(count_);
  ring.download(sums_.data(), count_ * sizeof(ComponentSum), sums.data(), count_ * sizeof(ComponentSum), 1,
                stream);
  Components components;
  components.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    components.area[i] = sums[i].area;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool known = sums[i].max[axis] >= 0;
      components.box[i].min[axis] = known ? sums[i].min[axis] : 0;
      components.box[i].max[axis] = known ? sums[i].max[axis] : 0;
      components.sum[i][axis] = sums[i].sum[axis];
    }
  }
  return components;
}

}  // namespace gpuccl::cuda::runs
