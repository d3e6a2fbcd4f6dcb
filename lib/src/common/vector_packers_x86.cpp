// Compares samples with vectors, and collects the highest bits of the results: with SSE2, which every x86-64
// processor has, and with AVX2 if available. For unsigned samples, sample - low <= high - low is tested by a
// saturating subtraction. Wider samples are tested by a minimum, or by a signed comparison of values with
// inverted highest bits.

#include <immintrin.h>

#include <cstring>
#include <limits>

#include "gpuccl/detail/pack_samples.hpp"

namespace gpuccl {
namespace {

constexpr std::int64_t kBlock = 64;  // samples that become one 64-bit word

/// Returns all ones for each sample in the range.
template <class Sample>
__m128i in_range(__m128i samples, __m128i low, __m128i span) {
  const __m128i zero = _mm_setzero_si128();
  if constexpr (sizeof(Sample) == 1) {
    return _mm_cmpeq_epi8(_mm_subs_epu8(_mm_sub_epi8(samples, low), span), zero);
  } else if constexpr (sizeof(Sample) == 4) {
    const __m128i sign = _mm_set1_epi32(std::numeric_limits<int>::min());
    const __m128i above = _mm_xor_si128(_mm_sub_epi32(samples, low), sign);
    return _mm_cmpeq_epi32(_mm_cmpgt_epi32(above, _mm_xor_si128(span, sign)), zero);
  } else {
    return _mm_cmpeq_epi16(_mm_subs_epu16(_mm_sub_epi16(samples, low), span), zero);
  }
}

template <class Sample>
__m128i sse2_copies(Sample value) {
  if constexpr (sizeof(Sample) == 1) return _mm_set1_epi8(static_cast<char>(value));
  if constexpr (sizeof(Sample) == 2) return _mm_set1_epi16(static_cast<short>(value));
  return _mm_set1_epi32(static_cast<int>(value));
}

template <class Sample, bool is_single>
void pack_sse2(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
               std::uint64_t flip, std::uint32_t* bits) {
  constexpr int kVectors = kBlock * sizeof(Sample) / sizeof(__m128i);
  __m128i low[is_single ? 1 : kMaxSampleRanges], span[is_single ? 1 : kMaxSampleRanges];
  const std::size_t count = is_single ? 1 : ranges.size();
  for (std::size_t i = 0; i < count; ++i) {
    low[i] = sse2_copies(ranges[i].low);
    span[i] = sse2_copies(static_cast<Sample>(ranges[i].high - ranges[i].low));
  }
  for (std::int64_t block = 0; block < blocks; ++block, samples += kBlock * sizeof(Sample), bits += 2) {
    __m128i found[kVectors];
    for (int k = 0; k < kVectors; ++k) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(samples) + k);
      found[k] = in_range<Sample>(some, low[0], span[0]);
      for (std::size_t i = 1; i < count; ++i)
        found[k] = _mm_or_si128(found[k], in_range<Sample>(some, low[i], span[i]));
    }
    std::uint64_t word = 0;
    for (int k = 0; k < 4; ++k) {
      __m128i bytes = found[k];
      if constexpr (sizeof(Sample) == 2) bytes = _mm_packs_epi16(found[2 * k], found[2 * k + 1]);
      if constexpr (sizeof(Sample) == 4)
        bytes = _mm_packs_epi16(_mm_packs_epi32(found[4 * k], found[4 * k + 1]),
                                _mm_packs_epi32(found[4 * k + 2], found[4 * k + 3]));
      word |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))} << (k * 16);
    }
    word ^= flip;
    std::memcpy(bits, &word, sizeof word);
  }
}

template <class Sample>
[[gnu::target("avx2")]] __m256i in_range(__m256i samples, __m256i low, __m256i span) {
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (sizeof(Sample) == 1) {
    return _mm256_cmpeq_epi8(_mm256_subs_epu8(_mm256_sub_epi8(samples, low), span), zero);
  } else if constexpr (sizeof(Sample) == 2) {
    return _mm256_cmpeq_epi16(_mm256_subs_epu16(_mm256_sub_epi16(samples, low), span), zero);
  } else if constexpr (sizeof(Sample) == 4) {
    const __m256i above = _mm256_sub_epi32(samples, low);
    return _mm256_cmpeq_epi32(_mm256_min_epu32(above, span), above);
  } else {
    const __m256i sign = _mm256_set1_epi64x(std::numeric_limits<long long>::min());
    const __m256i above = _mm256_xor_si256(_mm256_sub_epi64(samples, low), sign);
    return _mm256_cmpeq_epi64(_mm256_cmpgt_epi64(above, _mm256_xor_si256(span, sign)), zero);
  }
}

template <class Sample>
[[gnu::target("avx2")]] __m256i avx2_copies(Sample value) {
  if constexpr (sizeof(Sample) == 1) return _mm256_set1_epi8(static_cast<char>(value));
  if constexpr (sizeof(Sample) == 2) return _mm256_set1_epi16(static_cast<short>(value));
  if constexpr (sizeof(Sample) == 4) return _mm256_set1_epi32(static_cast<int>(value));
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

/// Returns the highest bit of each sample of a vector.
template <class Sample>
[[gnu::target("avx2")]] std::uint32_t bits_of(__m256i found) {
  if constexpr (sizeof(Sample) == 1) return static_cast<std::uint32_t>(_mm256_movemask_epi8(found));
  if constexpr (sizeof(Sample) == 4)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(found)));
}

/// Returns all ones where a sample is in one of the ranges.
template <class Sample>
[[gnu::target("avx2")]] __m256i find(const std::byte* samples, const __m256i* low, const __m256i* span,
                                     std::size_t count) {
  const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(samples));
  __m256i found = in_range<Sample>(some, low[0], span[0]);
  for (std::size_t i = 1; i < count; ++i)
    found = _mm256_or_si256(found, in_range<Sample>(some, low[i], span[i]));
  return found;
}

/// `fixed`: the number of ranges if it is known at compile time, so that they stay in registers.
template <class Sample, std::size_t fixed>
[[gnu::target("avx2")]] void pack_avx2(const std::byte* samples, std::int64_t blocks,
                                       std::span<const SampleRange<Sample>> ranges, std::uint64_t flip,
                                       std::uint32_t* bits) {
  constexpr int kParts = sizeof(Sample) <= 2 ? 2 : kBlock * sizeof(Sample) / sizeof(__m256i);
  __m256i low[fixed > 0 ? fixed : kMaxSampleRanges], span[fixed > 0 ? fixed : kMaxSampleRanges];
  const std::size_t count = fixed > 0 ? fixed : ranges.size();
  for (std::size_t i = 0; i < count; ++i) {
    low[i] = avx2_copies(ranges[i].low);
    span[i] = avx2_copies(static_cast<Sample>(ranges[i].high - ranges[i].low));
  }
  for (std::int64_t block = 0; block < blocks; ++block, samples += kBlock * sizeof(Sample), bits += 2) {
    std::uint64_t word = flip;
    for (int k = 0; k < kParts; ++k) {
      const std::byte* const part = samples + k * (kBlock * sizeof(Sample) / kParts);
      const __m256i found = find<Sample>(part, low, span, count);
      std::uint64_t mask = 0;
      if constexpr (sizeof(Sample) > 2) {
        mask = bits_of<Sample>(found);
      } else if constexpr (sizeof(Sample) == 2) {  // packs within halves, so quarters 0 2 1 3 are in order
        const __m256i next = find<Sample>(part + sizeof next, low, span, count);
        mask =
            bits_of<std::uint8_t>(_mm256_permute4x64_epi64(_mm256_packs_epi16(found, next), 0b11'01'10'00));
      } else {
        mask = bits_of<std::uint8_t>(found);
      }
      word ^= mask << (k * kBlock / kParts);
    }
    std::memcpy(bits, &word, sizeof word);
  }
}

/// A single range, as for thresholds, stays in registers.
template <class Sample>
void pack_by_sse2(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
                  std::uint64_t flip, std::uint32_t* bits) {
  const auto pack = ranges.size() == 1 ? pack_sse2<Sample, true> : pack_sse2<Sample, false>;
  pack(samples, blocks, ranges, flip, bits);
}

template <class Sample>
void pack_by_avx2(const std::byte* samples, std::int64_t blocks, std::span<const SampleRange<Sample>> ranges,
                  std::uint64_t flip, std::uint32_t* bits) {
  const auto pack = ranges.size() == 1   ? pack_avx2<Sample, 1>
                    : ranges.size() == 2 ? pack_avx2<Sample, 2>
                                         : pack_avx2<Sample, 0>;
  pack(samples, blocks, ranges, flip, bits);
}

}  // namespace

template <class Sample>
std::vector<SamplePacker<Sample>> vector_packers() {
  std::vector<SamplePacker<Sample>> packers;
  if (__builtin_cpu_supports("avx2")) packers.push_back({"AVX2", pack_by_avx2<Sample>});
  if constexpr (sizeof(Sample) <= 4) packers.push_back({"SSE2", pack_by_sse2<Sample>});
  return packers;
}

template std::vector<SamplePacker<std::uint8_t>> vector_packers();
template std::vector<SamplePacker<std::uint16_t>> vector_packers();
template std::vector<SamplePacker<std::uint32_t>> vector_packers();
template std::vector<SamplePacker<std::uint64_t>> vector_packers();

}  // namespace gpuccl
