#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gpuccl {

/// Inclusive range of samples.
template <class Sample>
struct SampleRange {
  Sample low, high;
};

constexpr std::size_t kMostSampleRanges = 16;  // so that their limits stay in the L1 cache

/// Packs a row of unsigned samples of 8, 16, 32 or 64 bits into bits: 1 if a sample is in one of the `ranges`
/// (1 to kMostSampleRanges), or with `invert` if it is not. `samples` need not be aligned. Writes whole
/// blocks of 64 bits, with zeros beyond `count`.
template <class Sample>
void pack_samples(const std::byte* samples, std::int64_t count, std::span<const SampleRange<Sample>> ranges,
                  bool invert, std::uint32_t* bits);

/// An implementation of pack_samples() for blocks of 64 samples; XORs each block with `flip`.
template <class Sample>
struct SamplePacker {
  const char* name;
  void (*pack)(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
               std::uint64_t flip, std::uint32_t* bits);
};

/// Returns the implementations this processor supports, fastest first; the last one is plain C++.
template <class Sample>
std::vector<SamplePacker<Sample>> sample_packers();

/// Returns the vector code of this processor for pack_samples(), the fastest first. CMake chooses the file.
template <class Sample>
std::vector<SamplePacker<Sample>> vector_packers();

}  // namespace gpuccl
#pragma GCC visibility pop
