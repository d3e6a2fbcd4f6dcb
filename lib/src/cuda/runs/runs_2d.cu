#include "cuda/runs/runs_variants.cuh"

namespace gpuccl::cuda {

using enum Connectivity;

Variants runs_2d_variants() { return variants<runs::OfBits, c4, c8>(); }
Variants runs_bytes_2d_variants() { return variants<runs::OfBytes, c4, c8>(); }

}  // namespace gpuccl::cuda
