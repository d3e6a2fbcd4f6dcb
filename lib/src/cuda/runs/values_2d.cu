#include "cuda/runs/value_labeler.cuh"
#include "cuda/runs/value_labelers.cuh"

namespace gpuccl::cuda::runs {

std::unique_ptr<ValueLabeler> make_value_labeler_2d(int gpu, Connectivity connectivity, LinkWidth width) {
  using enum Connectivity;
  if (connectivity == c4) return std::make_unique<DeviceValueLabeler<c4>>(gpu, width);
  return std::make_unique<DeviceValueLabeler<c8>>(gpu, width);
}

}  // namespace gpuccl::cuda::runs
