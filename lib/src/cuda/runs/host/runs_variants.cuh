#pragma once

#include "cuda/runs/host/runs.cuh"

// The fast engine as it stands in the table. `runs` reads bits, `runs-bytes` one byte an element, which it
// packs on the fly.
namespace gpuccl::cuda {

namespace runs {
template <Connectivity connectivity>
using OfBits = RunsLabeler<connectivity, BitImage>;
template <Connectivity connectivity>
using OfBytes = RunsLabeler<connectivity, ByteImage>;
}  // namespace runs

// 2D is compiled by itself, as both halves take long.
Variants runs_2d_variants();
Variants runs_bytes_2d_variants();

}  // namespace gpuccl::cuda
