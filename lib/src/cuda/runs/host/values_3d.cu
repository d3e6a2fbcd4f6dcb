#include "cuda/runs/host/cleaning.cuh"
#include "cuda/runs/host/value_labeler.cuh"

namespace gpuccl::cuda {

using enum Connectivity;

std::unique_ptr<ValueLabeler> make_value_labeler(int gpu, Connectivity connectivity, bool wide_links) {
  using runs::DeviceValueLabeler;
  const CurrentDevice current(gpu);
  const runs::LinkWidth width = wide_links ? runs::LinkWidth::wide : runs::LinkWidth::as_needed;
  if (connectivity == c6) return std::make_unique<DeviceValueLabeler<c6>>(gpu, width);
  if (connectivity == c18) return std::make_unique<DeviceValueLabeler<c18>>(gpu, width);
  if (connectivity == c26) return std::make_unique<DeviceValueLabeler<c26>>(gpu, width);
  return runs::make_value_labeler_2d(gpu, connectivity, width);
}

namespace runs {
template std::size_t value_workspace_bytes<c6>(Extent, LinkWidth);
template std::size_t value_workspace_bytes<c18>(Extent, LinkWidth);
template std::size_t value_workspace_bytes<c26>(Extent, LinkWidth);
template void enqueue_values<c6>(const ValueCall&, LinkWidth);
template void enqueue_values<c18>(const ValueCall&, LinkWidth);
template void enqueue_values<c26>(const ValueCall&, LinkWidth);
template std::size_t value_selection_bytes<c6>(const CleanCall&);
template void enqueue_value_cleaning<c6>(const CleanCall&);
template std::size_t value_selection_bytes<c18>(const CleanCall&);
template void enqueue_value_cleaning<c18>(const CleanCall&);
template std::size_t value_selection_bytes<c26>(const CleanCall&);
template void enqueue_value_cleaning<c26>(const CleanCall&);
}  // namespace runs

}  // namespace gpuccl::cuda
