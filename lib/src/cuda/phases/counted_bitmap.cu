// The prefix sum in one pass, with decoupled look-back:
//
//   D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA NVR-2016-002

#include "cuda/device/thread_grid.cuh"
#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runtime/launch.cuh"

namespace gpuccl::cuda {
namespace {

constexpr int kScanThreads = BitmapLengths::kThreads;
constexpr int kScanGroups = BitmapLengths::kGroupsAThread;

// Thread blocks take their parts of the bitmap in the order in which they start, so all blocks that they wait
// for have started.

// Progress of a part: state in the upper two bits of a word, sum below.
constexpr unsigned long long kOwnSum = 1ull << 62;  // number of set bits in the part
constexpr unsigned long long kWholeSum = 2ull
                                         << 62;  // number of set bits in the part and all parts before it

/// Returns the number of set bits in all parts before this one. Waits until their thread blocks have
/// published it. Called by one warp.
__device__ unsigned long long sum_before(unsigned part, const unsigned long long* scan) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned long long sum = 0;
  for (std::int64_t last = std::int64_t{part} - 1; last >= 0; last -= 32) {
    const std::int64_t other = last - lane;
    unsigned long long published = kWholeSum;
    do {
      if (other >= 0) published = __ldcg(scan + other);
    } while (__any_sync(~0u, published < kOwnSum));
    const unsigned whole = __ballot_sync(~0u, published >= kWholeSum);
    const int end = whole != 0 ? __ffs(static_cast<int>(whole)) - 1 : 32;
    const std::uint32_t up_to_lane = sum_up_to_lane(lane < end ? static_cast<std::uint32_t>(published) : 0);
    sum += __shfl_sync(~0u, up_to_lane, 31);
    if (whole != 0) return sum + (__shfl_sync(~0u, published, end) & ~kWholeSum);
  }
  return sum;
}

__global__ void __launch_bounds__(kScanThreads)
    count_bits_kernel(const uint4* words, uint4* before, unsigned long long* scan, CountTarget total) {
  __shared__ std::uint32_t of_warp[kScanThreads / 32];
  __shared__ unsigned long long before_part;
  __shared__ unsigned part;
  let_next_launch_begin();
  wait_for_launch_before();
  if (threadIdx.x == 0) part = static_cast<unsigned>(atomicAdd(scan + gridDim.x, 1ull));
  __syncthreads();
  const std::int64_t thread = std::int64_t{part} * kScanThreads + threadIdx.x;
  std::uint32_t of_group[kScanGroups], own = 0;
#pragma unroll
  for (int i = 0; i < kScanGroups; ++i) {
    const uint4 bits = words[thread * kScanGroups + i];
    of_group[i] =
        static_cast<std::uint32_t>(__popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w));
    own += of_group[i];
  }
  const std::uint32_t up_to_lane = sum_up_to_lane(own);
  if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = up_to_lane;
  __syncthreads();

  std::uint32_t before_warp = 0, of_part = 0;
#pragma unroll
  for (unsigned i = 0; i < kScanThreads / 32; ++i) {
    if (i < threadIdx.x / 32) before_warp += of_warp[i];
    of_part += of_warp[i];
  }
  if (threadIdx.x == 0) __stcg(scan + part, kOwnSum | of_part);
  if (threadIdx.x < 32) {
    const unsigned long long sum = sum_before(part, scan);
    if (threadIdx.x == 0) {
      __stcg(scan + part, kWholeSum | (sum + of_part));
      before_part = sum;
      if (part == gridDim.x - 1) total.publish(sum + of_part);
    }
  }
  __syncthreads();

  uint4 sums;
  sums.x = static_cast<std::uint32_t>(before_part) + before_warp + up_to_lane - own;
  sums.y = sums.x + of_group[0];
  sums.z = sums.y + of_group[1];
  sums.w = sums.z + of_group[2];
  before[thread] = sums;
}

}  // namespace

void clear_padding(const Bitmap& bitmap, cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(bitmap.lengths.padding()) * sizeof(*bitmap.words);
  if (bytes > 0)
    check(cudaMemsetAsync(bitmap.words + bitmap.lengths.words, 0, bytes, stream), "clearing a bitmap");
}

void clear_progress(const Bitmap& bitmap, cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(bitmap.lengths.progress()) * sizeof(*bitmap.progress);
  check(cudaMemsetAsync(bitmap.progress, 0, bytes, stream), "counting");
}

void count_bits(const char* name, const Bitmap& bitmap, PhaseClock& phase) {
  phase(name, count_bits_kernel,
        LaunchShape{dim3(static_cast<unsigned>(bitmap.lengths.blocks())), dim3(kScanThreads), 0, true},
        reinterpret_cast<const uint4*>(bitmap.words), reinterpret_cast<uint4*>(bitmap.before),
        bitmap.progress, bitmap.total);
}

void BitmapMemory::reserve(std::int64_t words, const char* doing) {
  lengths_ = {words};
  words_.reserve(lengths_.padded_words(), doing);
  before_.reserve(lengths_.before(), doing);
  progress_.reserve(static_cast<std::size_t>(lengths_.progress()), doing);
  total_.reserve(doing);
}

Bitmap BitmapMemory::bitmap() const {
  return {lengths_, words_.data(), before_.data(), progress_.data(), total_.target()};
}

}  // namespace gpuccl::cuda
