#pragma once

#include <cstdint>

#include "cuda/runs/tables.cuh"

// Numbering: a component's label is one more than the number of first elements before its own, so all it
// takes is a prefix sum over the bits of first elements.
namespace gpuccl::cuda::runs {

inline constexpr int kScanThreads = 512;
inline constexpr int kScanGroups = 4;  // groups of 4 words, a thread
inline constexpr std::int64_t kScanWords = std::int64_t{kScanThreads} * kScanGroups * 4;  // a thread block

constexpr std::int64_t scan_blocks(std::int64_t words) { return (words + kScanWords - 1) / kScanWords; }

/// Length of Tables::scan.
constexpr std::int64_t scan_entries(std::int64_t words) { return scan_blocks(words) + 1; }

__global__ void numbering(const uint4* first_bits, uint4* before, unsigned long long* scan,
                          CountTarget count);

/// Label of the component whose first element is at `position`.
template <class Link>
__device__ std::uint32_t label_of(const Tables<Link>& tables, Link position) {
  const Link group = position / (4 * kWordBits);
  const uint4 bits = reinterpret_cast<const uint4*>(tables.first_bits)[group];
  const int word = static_cast<int>(position / kWordBits % 4);
  const Word up_to_it = up_to(static_cast<int>(position % kWordBits));
  int rank = count_bits(bits.x & (word > 0 ? ~0u : up_to_it));
  if (word > 0) rank += count_bits(bits.y & (word > 1 ? ~0u : up_to_it));
  if (word > 1) rank += count_bits(bits.z & (word > 2 ? ~0u : up_to_it));
  if (word > 2) rank += count_bits(bits.w & up_to_it);
  return tables.before[group] + static_cast<std::uint32_t>(rank);
}

}  // namespace gpuccl::cuda::runs
