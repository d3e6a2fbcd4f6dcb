#include "cuda/runs/host/device_labeling.cuh"
#include "cuda/runs/host/labeler.cuh"

namespace gpuccl::cuda {

using enum Connectivity;

Variants runs_2d_variants() { return variants<runs::OfBits, c4, c8>(); }
Variants runs_bytes_2d_variants() { return variants<runs::OfBytes, c4, c8>(); }

namespace runs {
template std::size_t workspace_bytes<c4>(Extent, LinkWidth);
template std::size_t workspace_bytes<c8>(Extent, LinkWidth);
template void enqueue<c4>(const DeviceCall&, LinkWidth);
template void enqueue<c8>(const DeviceCall&, LinkWidth);
}  // namespace runs

}  // namespace gpuccl::cuda
