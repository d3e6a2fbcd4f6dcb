#include <algorithm>
#include <cstring>

#include "cuda/device/image_ref.cuh"
#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/cleaning/choice.cuh"
#include "cuda/runs/core/words.cuh"

namespace gpuccl::cuda::runs {
namespace {

constexpr unsigned kThreads = 256;

/// Threads that walk over all components, whose number only the device knows.
LaunchShape walkers(const Choice& choice) {
  return ThreadLine<>::shape(std::min<std::size_t>(choice.capacity, std::size_t{1} << 18));
}

/// Calls visit(i, has_one) for the components. Lanes of a warp have those of one word of bits.
template <class Visit>
__device__ void for_each_component(const Choice& choice, Visit visit) {
  const std::uint64_t count = *choice.count, threads = std::uint64_t{gridDim.x} * kThreads;
  for (std::uint64_t i = ThreadLine<>::of_this_thread(); i / kWordBits * kWordBits < count; i += threads)
    visit(i, i < count);
}

__device__ bool has_bit(const Word* bits, std::uint64_t i) {
  return (bits[i / kWordBits] >> i % kWordBits & 1) != 0;
}

/// Components in the order of their size: the number of equal leading bits that all of the `largest` have,
/// and what is left to be found among them.
struct Ranking {
  unsigned long long counts[256];  // of components by their next 8 bits
  unsigned long long prefix;
  unsigned long long left;    // number of components that are still to be found
  unsigned long long blocks;  // that have counted
};
static_assert(sizeof(Ranking) == Choice::kRanking * sizeof(unsigned long long));

/// Returns a number that orders components by size, those of equal size by their place. All are different.
__device__ unsigned long long rank_of(const Choice& choice, std::uint64_t i) {
  return static_cast<unsigned long long>(choice.areas[i]) << 32 | (~static_cast<std::uint32_t>(i));
}

__global__ void clear_choice(Choice choice) {
  if (choice.ranking != nullptr && blockIdx.x == 0) {
    auto& ranking = *reinterpret_cast<Ranking*>(choice.ranking);
    ranking.counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
      ranking.prefix = ranking.blocks = 0;
      ranking.left = choice.largest;
    }
  }
  for_each_component(choice, [&](std::uint64_t i, bool has_one) {
    if (choice.areas != nullptr && has_one) choice.areas[i] = 0;
    if (i % kWordBits != 0) return;
    if (choice.at_border != nullptr) choice.at_border[i / kWordBits] = 0;
    if (choice.seeded != nullptr) choice.seeded[i / kWordBits] = 0;
  });
}

__global__ void keep_kernel(Choice choice) {
  unsigned long long highest = 0;
  for_each_component(choice, [&](std::uint64_t i, bool has_one) {
    bool kept = has_one;
    if (kept && choice.areas != nullptr) {
      const std::uint32_t area = choice.areas[i];
      kept = area >= choice.min_size && area <= choice.max_size;
    }
    if (kept && choice.at_border != nullptr) kept = !has_bit(choice.at_border, i);
    if (kept && choice.seeded != nullptr) kept = has_bit(choice.seeded, i);
    const Word bits = __ballot_sync(kAllLanes, kept);
    if (i % kWordBits == 0) choice.kept[i / kWordBits] = bits;
    if (kept && choice.largest == 1) highest = max(highest, rank_of(choice, i));
  });
  if (choice.largest == 1)  // without a search
    raise_in_warp(&reinterpret_cast<Ranking*>(choice.ranking)->prefix, highest);
}

/// Finds the next 8 bits of the smallest rank of a component that is kept. The last block to count does.
__global__ void rank_kernel(Choice choice, int shift) {
  __shared__ unsigned counts[256];
  __shared__ bool is_last;
  auto& ranking = *reinterpret_cast<Ranking*>(choice.ranking);
  const unsigned t = threadIdx.x;
  counts[t] = 0;
  __syncthreads();
  const std::uint64_t prefix = ranking.prefix;
  for_each_component(choice, [&](std::uint64_t i, bool has_one) {
    if (!has_one || !has_bit(choice.kept, i)) return;
    const std::uint64_t rank = rank_of(choice, i);
    if (shift == 56 || rank >> (shift + 8) == prefix) atomicAdd(counts + (rank >> shift & 255), 1u);
  });
  __syncthreads();
  if (counts[t] != 0) atomicAdd(ranking.counts + t, static_cast<unsigned long long>(counts[t]));
  __threadfence();
  __syncthreads();
  if (t == 0) is_last = atomicAdd(&ranking.blocks, 1ull) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  // The digit of the component that is the last to be found: so many have this digit or a greater one.
  __shared__ unsigned long long reach[257];
  reach[t] = __ldcg(ranking.counts + t);
  if (t == 0) reach[256] = 0;
  ranking.counts[t] = 0;
  __syncthreads();
  for (unsigned distance = 1; distance < 256; distance *= 2) {
    const unsigned long long more = t + distance < 256 ? reach[t + distance] : 0;
    __syncthreads();
    reach[t] += more;
    __syncthreads();
  }
  const unsigned long long left = ranking.left;
  __syncthreads();
  if (t == 0) ranking.blocks = 0;
  if ((reach[t] >= left || t == 0) && reach[t + 1] < left) {  // digit 0 if there are too few components
    ranking.prefix = prefix << 8 | t;
    ranking.left = left - reach[t + 1];
  }
}

__global__ void keep_largest_kernel(Choice choice) {
  const auto& ranking = *reinterpret_cast<const Ranking*>(choice.ranking);
  for_each_component(choice, [&](std::uint64_t i, bool has_one) {
    const bool kept = has_one && has_bit(choice.kept, i) && rank_of(choice, i) >= ranking.prefix;
    const Word bits = __ballot_sync(kAllLanes, kept);
    if (i % kWordBits == 0) choice.kept[i / kWordBits] = bits;
  });
}

/// One thread per word.
__global__ void invert_kernel(Word* bits, std::uint64_t words, unsigned words_a_row, int width) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= words) return;
  const int left = width - static_cast<int>(i % words_a_row * kWordBits);
  bits[i] = ~bits[i] & (left < 32 ? (1u << left) - 1 : ~0u);
}

constexpr int kDrawnRows = 4;  // of a thread, which has four columns
using DrawGrid = ThreadGrid<4, kDrawnRows, 1, 128, 1>;

template <class T>
struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) Four {
  T element[4];
};

template <class T>
__global__ void __launch_bounds__(128) draw_kernel(const Word* bits, int words_a_row, DeviceValueImage from,
                                                   T filled, DeviceValueImage to, bool in_fours) {
  const Extent extent = to.extent;
  const int3 at = DrawGrid::origin(extent);
  if (!extent.contains(at.x, at.y, at.z)) return;
  const int rows = min(kDrawnRows, extent.height - at.y), columns = min(4, extent.width - at.x);
#pragma unroll
  for (int i = 0; i < kDrawnRows; ++i) {
    if (i >= rows) return;
    const int y = at.y + i;
    const std::int64_t row = std::int64_t{at.z} * extent.height + y;
    const unsigned set = bits[row * words_a_row + at.x / kWordBits] >> at.x % kWordBits & 15;
    const auto place = [&](const DeviceValueImage& image) {
      return static_cast<std::byte*>(const_cast<void*>(image.data)) + at.z * image.slice_pitch +
             y * image.row_pitch + at.x * static_cast<std::int64_t>(sizeof(T));
    };
    Four<T> four{};
    if (set != 0 && from.data != nullptr) {
      if (in_fours && columns == 4)
        four = *reinterpret_cast<const Four<T>*>(place(from));
      else
        for (int k = 0; k < 4; ++k)
          if (k < columns) four.element[k] = reinterpret_cast<const T*>(place(from))[k];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      four.element[k] = (set >> k & 1) == 0 ? T{0} : four.element[k] == 0 ? filled : four.element[k];
    if (in_fours && columns == 4)
      *reinterpret_cast<Four<T>*>(place(to)) = four;
    else
      for (int k = 0; k < 4; ++k)
        if (k < columns) reinterpret_cast<T*>(place(to))[k] = four.element[k];
  }
}

}  // namespace

void clear(const Choice& choice, PhaseClock& phase) {
  phase("Choice: clear", clear_choice, walkers(choice), choice);
}

void choose(const Choice& choice, PhaseClock& phase) {
  phase("Choice: keep", keep_kernel, walkers(choice), choice);
  if (choice.largest == 0) return;
  for (int shift = choice.largest == 1 ? -1 : 56; shift >= 0; shift -= 8)
    phase("Choice: rank", rank_kernel, walkers(choice), choice, shift);
  phase("Choice: largest", keep_largest_kernel, walkers(choice), choice);
}

void invert(std::uint32_t* bits, std::int64_t words, int words_a_row, int width, PhaseClock& phase) {
  const auto count = static_cast<std::uint64_t>(words);
  phase("Invert", invert_kernel, ThreadLine<>::shape(count), bits, count, static_cast<unsigned>(words_a_row),
        width);
}

void draw(const std::uint32_t* bits, int words_a_row, const DeviceValueImage& from, std::uint64_t filled,
          const DeviceValueImage& to, PhaseClock& phase) {
  with_size(to.type, [&]<class T>(T) {
    const auto is_in_fours = [](const DeviceValueImage& image) {
      const auto to_four = [](auto value) {
        return value % static_cast<decltype(value)>(alignof(Four<T>)) == 0;
      };
      return to_four(reinterpret_cast<std::uintptr_t>(image.data)) && to_four(image.row_pitch) &&
             to_four(image.slice_pitch);
    };
    const bool in_fours = is_in_fours(to) && (from.data == nullptr || is_in_fours(from));
    phase("Draw", draw_kernel<T>, DrawGrid::shape(to.extent), bits, words_a_row, from, static_cast<T>(filled),
          to, in_fours);
  });
}

}  // namespace gpuccl::cuda::runs
