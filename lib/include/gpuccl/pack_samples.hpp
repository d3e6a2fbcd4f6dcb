#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpuccl {

/// Samples from `low` to `high`, both included.
template <class Sample>
struct SampleRange {
  Sample low, high;
};

constexpr std::size_t kMostSampleRanges = 16;  // at once: their limits stay in the nearest cache

/// A row of samples of 8, 16, 32 or 64 bits, unsigned, at any address, as a row of bits: 1 for those in one
/// of the `ranges`, of which there are 1 to kMostSampleRanges, or with `invert` for the others. Words up to a
/// multiple of 64 samples are written, with zeros beyond `count`.
template <class Sample>
void pack_samples(const std::byte* samples, std::int64_t count, std::span<const SampleRange<Sample>> ranges,
                  bool invert, std::uint32_t* bits);

/// The same for whole blocks of 64 samples by one kind of instructions; `flip` is exclusive-ored with each
/// block.
template <class Sample>
struct SamplePacker {
  const char* name;
  void (*pack)(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
               std::uint64_t flip, std::uint32_t* bits);
};

/// What this processor can do, the fastest first; the last one is plain C++.
template <class Sample>
std::vector<SamplePacker<Sample>> sample_packers();

}  // namespace gpuccl
