#include "cuda/runs/value_labeler.cuh"
#include "cuda/runs/value_labelers.cuh"

namespace gpuccl::cuda {

std::unique_ptr<ValueLabeler> make_value_labeler(int gpu, Connectivity connectivity, bool wide_links) {
  using enum Connectivity;
  using runs::DeviceValueLabeler;
  const CurrentDevice here(gpu);
  const runs::LinkWidth width = wide_links ? runs::LinkWidth::wide : runs::LinkWidth::as_needed;
  if (connectivity == c6) return std::make_unique<DeviceValueLabeler<c6>>(gpu, width);
  if (connectivity == c18) return std::make_unique<DeviceValueLabeler<c18>>(gpu, width);
  if (connectivity == c26) return std::make_unique<DeviceValueLabeler<c26>>(gpu, width);
  return runs::make_value_labeler_2d(gpu, connectivity, width);
}

}  // namespace gpuccl::cuda
