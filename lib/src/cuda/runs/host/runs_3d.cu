#include "cuda/runs/host/device_labeling.cuh"
#include "cuda/runs/host/labeler.cuh"

namespace gpuccl::cuda {

using enum Connectivity;

Variants runs_variants() { return joined(runs_2d_variants(), variants<runs::OfBits, c6, c18, c26>()); }
Variants runs_bytes_variants() {
  return joined(runs_bytes_2d_variants(), variants<runs::OfBytes, c6, c18, c26>());
}

namespace runs {
template std::size_t workspace_bytes<c6>(Extent, LinkWidth);
template std::size_t workspace_bytes<c18>(Extent, LinkWidth);
template std::size_t workspace_bytes<c26>(Extent, LinkWidth);
template void enqueue<c6>(const DeviceCall&, LinkWidth);
template void enqueue<c18>(const DeviceCall&, LinkWidth);
template void enqueue<c26>(const DeviceCall&, LinkWidth);
}  // namespace runs

}  // namespace gpuccl::cuda
