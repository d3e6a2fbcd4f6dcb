#include "cuda/runs/host/cleaning.cuh"
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
template std::size_t selection_bytes<c4>(const CleanCall&, bool);
template void enqueue_cleaning<c4>(const CleanCall&);
template std::size_t selection_bytes<c8>(const CleanCall&, bool);
template void enqueue_cleaning<c8>(const CleanCall&);
template void enqueue_filling<c4>(const CleanCall&);
template void enqueue_filling<c8>(const CleanCall&);
}  // namespace runs

}  // namespace gpuccl::cuda
