#include "cuda/runs/runs_variants.cuh"

namespace gpuccl::cuda {

using enum Connectivity;

Variants runs_variants() { return joined(runs_2d_variants(), variants<runs::OfBits, c6, c18, c26>()); }
Variants runs_bytes_variants() {
  return joined(runs_bytes_2d_variants(), variants<runs::OfBytes, c6, c18, c26>());
}

}  // namespace gpuccl::cuda
