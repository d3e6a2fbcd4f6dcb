#include <vector>

#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/component_memory.cuh"

namespace gpuccl::cuda::runs {
namespace {

__global__ void clear_components(ComponentSums components) {
  const std::uint64_t i = ThreadLine<>::mine();
  if (i < components.count) components.clear(i);
}

}  // namespace

ComponentSums ComponentMemory::reserve(std::size_t count, PhaseClock& phase) {
  constexpr const char* kDoing = "allocating component statistics";
  count_ = count;
  sums_.reserve(4 * count, kDoing);
  boxes_.reserve(6 * count, kDoing);
  const ComponentSums components{sums_.data(), boxes_.data(), boxes_.data() + 3 * count, count};
  if (count > 0) phase("Statistics: clear", clear_components, ThreadLine<>::shape(count), components);
  return components;
}

Components ComponentMemory::download(PinnedRing& ring, const Stream& stream) const {
  const auto fetch = [&]<class T>(const T* from, std::size_t count) {
    std::vector<T> values(count);
    ring.download(from, count * sizeof(T), values.data(), count * sizeof(T), 1, stream);
    return values;
  };
  const std::vector<unsigned long long> sums = fetch(sums_.data(), 4 * count_);
  const std::vector<int> boxes = fetch(boxes_.data(), 6 * count_);

  Components components;
  components.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    components.area[i] = sums[i];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      components.box[i].min[axis] = boxes[axis * count_ + i];
      components.box[i].max[axis] = boxes[(3 + axis) * count_ + i];
      components.sum[i][axis] = sums[(1 + axis) * count_ + i];
    }
  }
  return components;
}

}  // namespace gpuccl::cuda::runs
