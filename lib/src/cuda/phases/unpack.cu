#include "cuda/device/thread_grid.cuh"
#include "cuda/phases/unpack.cuh"

namespace gpuccl::cuda {
namespace {

using GroupLine = ThreadLine<>;  // a thread for 16 elements

/// The low four bits as four bytes of 0 or 1.
__device__ unsigned spread_to_bytes(unsigned bits) { return (bits & 0xfu) * 0x00204081u & 0x01010101u; }

__global__ void unpack_kernel(const unsigned short* bits, uint4* pixels, std::uint64_t groups) {
  const std::uint64_t i = GroupLine::mine();
  if (i >= groups) return;

  const unsigned group = __ldg(bits + i);
  pixels[i] = make_uint4(spread_to_bytes(group), spread_to_bytes(group >> 4), spread_to_bytes(group >> 8),
                         spread_to_bytes(group >> 12));
}

}  // namespace

void unpack(BitRows bits, Pixel* pixels, PhaseClock& phase) {
  const std::uint64_t groups = bits.count() * 4;
  phase("Unpack", unpack_kernel, GroupLine::shape(groups),
        reinterpret_cast<const unsigned short*>(bits.words), reinterpret_cast<uint4*>(pixels), groups);
}

}  // namespace gpuccl::cuda
