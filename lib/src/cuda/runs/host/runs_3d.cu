#include "cuda/runs/host/cleaning.cuh"
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
template std::size_t selection_bytes<c6>(const CleanCall&, bool);
template void enqueue_cleaning<c6>(const CleanCall&);
template std::size_t selection_bytes<c18>(const CleanCall&, bool);
template void enqueue_cleaning<c18>(const CleanCall&);
template std::size_t selection_bytes<c26>(const CleanCall&, bool);
template void enqueue_cleaning<c26>(const CleanCall&);
template void enqueue_filling<c6>(const CleanCall&);
template void enqueue_filling<c26>(const CleanCall&);
}  // namespace runs

}  // namespace gpuccl::cuda
