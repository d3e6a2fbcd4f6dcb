#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#ifdef __SSE2__  // every x86-64 has it
#include <emmintrin.h>
#endif

#pragma GCC visibility push(default)
namespace gpuccl {

/// nonzero_bytes() without SSE2.
inline std::uint64_t nonzero_bytes_portably(const std::uint8_t* bytes) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7fu;
  std::uint64_t found = 0;
  for (int i = 0; i < 8; ++i) {
    std::uint64_t eight = 0;
    for (int k = 0; k < 8; ++k) eight |= std::uint64_t{bytes[i * 8 + k]} << (k * 8);
    const std::uint64_t flags = (((eight & kLow) + kLow) | eight) >> 7 & 0x0101010101010101u;
    found |= (flags * 0x0102040810204080u) >> 56 << (i * 8);  // flag k goes to bit 56 + k
  }
  return found;
}

/// Returns 64 bits: bit i is set if bytes[i] is not 0.
inline std::uint64_t nonzero_bytes(const std::uint8_t* bytes) {
#ifdef __SSE2__
  std::uint64_t zeros = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i * 16));
    const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_setzero_si128()));
    zeros |= static_cast<std::uint64_t>(mask) << (i * 16);
  }
  return ~zeros;
#else
  return nonzero_bytes_portably(bytes);
#endif
}

/// Inclusive range of samples.
template <class Sample>
struct SampleRange {
  Sample low, high;
};

constexpr std::size_t kMaxSampleRanges = 16;  // so that their limits stay in the L1 cache

/// Packs a row of unsigned samples of 8, 16, 32 or 64 bits into bits: 1 if a sample is in one of the `ranges`
/// (1 to kMaxSampleRanges), or with `invert` if it is not. `samples` need not be aligned. Writes whole
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
