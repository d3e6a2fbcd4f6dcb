// Running count of the bits of a bitmap in three launches: sums of chunks, their running sum by one thread
// block, and the counts inside of each chunk. The bitmap is small (an eighth of a byte an element), so
// reading it twice from the cache costs less than making thread blocks wait for each other.

#include "cuda/device/thread_grid.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/phases/prefix_count.cuh"

namespace gpuccl::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWordsAThread = 4;
constexpr unsigned kChunk = kThreads * kWordsAThread;

using WordLine = ThreadLine<kWordsAThread, kThreads>;

/// Sum of `value` over all threads before this one and, in `sum`, over all. All threads of the block take
/// part.
__device__ unsigned sum_before(unsigned value, unsigned& sum) {
  __shared__ unsigned of_warps[kThreads / kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;

  const unsigned running = sum_up_to_lane(value);
  __syncthreads();  // the array may still be read from the call before
  if (lane == kWarp - 1) of_warps[warp] = running;
  __syncthreads();

  unsigned before = running - value;
  sum = 0;
  for (unsigned i = 0; i < kThreads / kWarp; ++i) {
    if (i < warp) before += of_warps[i];
    sum += of_warps[i];
  }
  return before;
}

struct Counts {
  unsigned of_word[kWordsAThread];
  unsigned sum;
};

__device__ Counts count_mine(const Word64* bits, std::uint64_t words) {
  Counts counts{};
  for (unsigned i = 0; i < kWordsAThread; ++i) {
    const std::uint64_t at = WordLine::mine() + i;
    counts.of_word[i] = at < words ? static_cast<unsigned>(__popcll(bits[at])) : 0;
    counts.sum += counts.of_word[i];
  }
  return counts;
}

__global__ void sum_chunks(const Word64* bits, std::uint64_t words, unsigned* chunks) {
  unsigned sum = 0;
  sum_before(count_mine(bits, words).sum, sum);
  if (threadIdx.x == 0) chunks[blockIdx.x] = sum;
}

__global__ void scan_chunks(unsigned* chunks, unsigned count, unsigned* total) {
  unsigned before_turn = 0;
  for (unsigned turn = 0; turn < count; turn += kThreads) {
    const unsigned i = turn + threadIdx.x;
    unsigned sum = 0;
    const unsigned before = sum_before(i < count ? chunks[i] : 0, sum);
    if (i < count) chunks[i] = before_turn + before;
    before_turn += sum;
  }
  if (threadIdx.x == 0) *total = before_turn;
}

__global__ void count_inside_chunks(const Word64* bits, std::uint64_t words, const unsigned* chunks,
                                    unsigned* before) {
  const Counts counts = count_mine(bits, words);
  unsigned sum = 0;
  unsigned running = chunks[blockIdx.x] + sum_before(counts.sum, sum);
  for (unsigned i = 0; i < kWordsAThread; ++i) {
    const std::uint64_t at = WordLine::mine() + i;
    if (at < words) before[at] = running;
    running += counts.of_word[i];
  }
}

}  // namespace

std::uint64_t prefix_count_chunks(std::uint64_t words) { return (words + kChunk - 1) / kChunk; }

void prefix_count(const Word64* bits, std::uint64_t words, unsigned* before, unsigned* chunks,
                  unsigned* total, PhaseClock& phase) {
  const LaunchShape shape = WordLine::shape(words);
  phase("Renumber: count", sum_chunks, shape, bits, words, chunks);
  phase("Renumber: count", scan_chunks, LaunchShape{dim3(1), dim3(kThreads)}, chunks,
        static_cast<unsigned>(prefix_count_chunks(words)), total);
  phase("Renumber: count", count_inside_chunks, shape, bits, words, chunks, before);
}

}  // namespace gpuccl::cuda
