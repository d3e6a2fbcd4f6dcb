#include "cuda/runs/host/cleaning.cuh"
#include "cuda/runs/host/value_labeler.cuh"

namespace gpuccl::cuda::runs {

using enum Connectivity;

std::unique_ptr<ValueLabeler> make_value_labeler_2d(int gpu, Connectivity connectivity, LinkWidth width) {
  if (connectivity == c4) return std::make_unique<DeviceValueLabeler<c4>>(gpu, width);
  return std::make_unique<DeviceValueLabeler<c8>>(gpu, width);
}

template std::size_t value_workspace_bytes<c4>(Extent, LinkWidth);
template std::size_t value_workspace_bytes<c8>(Extent, LinkWidth);
template void enqueue_values<c4>(const ValueCall&, LinkWidth);
template void enqueue_values<c8>(const ValueCall&, LinkWidth);
template std::size_t value_selection_bytes<c4>(const CleanCall&);
template void enqueue_value_cleaning<c4>(const CleanCall&);
template std::size_t value_selection_bytes<c8>(const CleanCall&);
template void enqueue_value_cleaning<c8>(const CleanCall&);

}  // namespace gpuccl::cuda::runs
