// Renders eight elements at a time. The run of an element, relative to the last run before the eight, is the
// number of runs that begin up to the element. A table contains this for each byte of first elements. There
// is no branch per run, so noise takes as long as large components.

#include "cpu/runs/label_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/fastest_code.hpp"
#include "cpu/runs/words.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace gpuccl::cpu {

#ifdef __x86_64__
namespace {

#define GPUCCL_AVX2 [[gnu::target("avx2,popcnt")]]

constexpr int kLanes = 8;

/// Entry b, element i: number of set bits among bits 0 to i of b.
constexpr auto kOnesUpTo = [] {
  std::array<std::array<std::uint8_t, kLanes>, 256> counts{};
  for (unsigned byte = 0; byte < counts.size(); ++byte)
    for (unsigned i = 0; i < kLanes; ++i)
      counts[byte][i] = static_cast<std::uint8_t>(std::popcount(byte & ((2u << i) - 1)));
  return counts;
}();

/// Returns the labels of eight elements. `ones`: foreground. `begins`: first elements of runs. labels[0]:
/// label of the last run that begins to their left.
GPUCCL_AVX2 inline __m256i labels_of_eight(unsigned ones, unsigned begins, const Label* labels) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i near_by = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(labels));
  const __m256i which =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kOnesUpTo[begins].data())));
  const __m256i requested = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(ones)), bits);
  return _mm256_and_si256(_mm256_permutevar8x32_epi32(near_by, which), _mm256_cmpeq_epi32(requested, bits));
}

/// As labels_of_eight(), if each of the eight may begin a run. If the first does, labels[0] is not needed.
template <RowSet set>
GPUCCL_AVX2 inline __m256i labels_of_byte(Word ones, Word begins, const Label* labels) {
  const unsigned first = set == 0 ? begins & 1 : 0;
  return labels_of_eight(ones & 0xff, (begins & 0xff) - first, labels + first);
}

GPUCCL_AVX2 inline void store_eight(__m256i labels, std::uint32_t* out) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), labels);
}

GPUCCL_AVX2 inline void store_eight(__m256i labels, std::uint16_t* out) {
  const __m256i halves = _mm256_packus_epi32(labels, labels);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 0b1000)));
}

GPUCCL_AVX2 inline void store_eight(__m256i labels, std::uint8_t* out) {
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packus_epi32(labels, labels), 0b1000);
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(halves), _mm_setzero_si128());
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), bytes);
}

template <RowSet set, class T>
GPUCCL_AVX2 void draw_row(const BundleRows& bundle, const std::uint32_t* row, int width, const Label* labels,
                          T* out) {
  constexpr RowSet kUnited = set == 0 ? 1 : set;
  Word left = 0;
  for (int i = 0; i < width / kWordBits; ++i, out += kWordBits) {
    const Word ones = load_word(row, i);
    const Word united = united_word<kUnited>(bundle, i);
    const Word begins = set == 0 ? united : run_starts(united, left);
    left = united;
    const bool is_one_run = ones == ~Word{0} && begins <= 1;
    if (ones == 0 || is_one_run) {
      const __m256i label = _mm256_set1_epi32(ones == 0 ? 0 : static_cast<int>(labels[begins]));
      for (int k = 0; k < kWordBits; k += kLanes) store_eight(label, out + k);
      labels += std::popcount(begins);
      continue;
    }
    for (int k = 0; k < kWordBits; k += kLanes) {
      store_eight(labels_of_byte<set>(ones >> k, begins >> k, labels), out + k);
      labels += std::popcount(begins >> k & 0xff);
    }
  }
  const int rest = width % kWordBits;
  if (rest == 0) return;
  Word ones = load_word(row, width / kWordBits);
  const Word united = united_word<kUnited>(bundle, width / kWordBits);
  Word begins = set == 0 ? united : run_starts(united, left);
  for (int k = 0; k < rest; k += kLanes, ones >>= kLanes, begins >>= kLanes) {
    std::array<T, kLanes> eight;
    store_eight(labels_of_byte<set>(ones, begins, labels), eight.data());
    std::memcpy(out + k, eight.data(), static_cast<std::size_t>(std::min(rest - k, kLanes)) * sizeof(T));
    labels += std::popcount(begins & 0xff);
  }
}

}  // namespace

bool can_draw_label_rows() { return has_avx2(); }

template <class T>
void draw_label_row(RowSet set, const BundleRows& bundle, const std::uint32_t* row, int width,
                    const Label* labels, T* out) {
  switch (set) {
    case 0b1111:
      return draw_row<0b1111>(bundle, row, width, labels, out);
    case 0b0011:
      return draw_row<0b0011>(bundle, row, width, labels, out);
    case 0:
      return draw_row<0>(bundle, row, width, labels, out);
    default:
      return draw_row<0b0001>(bundle, row, width, labels, out);
  }
}

#else

bool can_draw_label_rows() { return false; }

template <class T>
void draw_label_row(RowSet, const BundleRows&, const std::uint32_t*, int, const Label*, T*) {}

#endif

template void draw_label_row(RowSet, const BundleRows&, const std::uint32_t*, int, const Label*,
                             std::uint8_t*);
template void draw_label_row(RowSet, const BundleRows&, const std::uint32_t*, int, const Label*,
                             std::uint16_t*);
template void draw_label_row(RowSet, const BundleRows&, const std::uint32_t*, int, const Label*,
                             std::uint32_t*);

}  // namespace gpuccl::cpu
