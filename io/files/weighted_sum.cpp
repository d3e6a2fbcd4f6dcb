#include "io/files/weighted_sum.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "io/files/descriptor.hpp"

namespace gpuccl::io {
namespace {

template <class Number>
std::uint64_t weigh_rest(const std::byte* numbers, std::size_t first, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < count; ++i) {
    Number number{};
    std::memcpy(&number, numbers + i * sizeof number, sizeof number);
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) * kWeights.of[i];
  }
  return sum;
}

#if defined(__x86_64__)
/// The bits of weights in three parts: products with numbers of 16 bits, added by twos, have less than 27
/// bits and a sign.
struct WeightParts {
  static constexpr int kBits = 11, kCount = 3;

  std::array<std::array<std::int16_t, Weights::kBlock>, kCount> of{};

  constexpr WeightParts() {
    for (int part = 0; part < kCount; ++part)
      for (std::size_t i = 0; i < kWeights.of.size(); ++i)
        of[static_cast<std::size_t>(part)][i] =
            static_cast<std::int16_t>(kWeights.of[i] >> (part * kBits) & ((1u << kBits) - 1));
  }
};
constexpr WeightParts kWeightParts;

/// The offset that is subtracted from a number so that it fits into 16 bits with a sign.
template <class Number>
constexpr std::uint64_t kTooMuch = std::is_same_v<Number, std::uint16_t> ? 1 << 15 : 0;

/// Returns 16 numbers less kTooMuch.
template <class Number>
[[gnu::target("avx2")]] __m256i load(const std::byte* numbers) {
  if constexpr (sizeof(Number) == 2) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
    return _mm256_xor_si256(all, _mm256_set1_epi16(static_cast<std::int16_t>(kTooMuch<Number>)));
  } else {
    const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers));
    return std::is_signed_v<Number> ? _mm256_cvtepi8_epi16(all) : _mm256_cvtepu8_epi16(all);
  }
}

/// Adds the products of some numbers and weights to eight sums.
[[gnu::target("avx2")]] __m256i add_products(__m256i sums, __m256i some, const std::int16_t* weights) {
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
  return _mm256_add_epi32(sums, _mm256_madd_epi16(some, all));
}

/// Adds eight integers of 32 bits to four.
[[gnu::target("avx2")]] __m256i add_by_twos(__m256i eight) {
  return _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(eight)),
                          _mm256_cvtepi32_epi64(_mm256_extracti128_si256(eight, 1)));
}

/// Returns the sum of four integers of 64 bits.
[[gnu::target("avx2")]] std::uint64_t sum_of(__m256i four) {
  std::array<std::uint64_t, 4> parts{};
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(parts.data()), four);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

/// weigh() of numbers of up to 16 bits.
template <class Number>
[[gnu::target("avx2")]] std::uint64_t weigh_narrow(const std::byte* numbers, std::size_t count) {
  constexpr std::size_t kAtOnce = 16, kWithoutOverflow = 16 * kAtOnce;
  const std::size_t all = count / kAtOnce * kAtOnce;
  __m256i sums = _mm256_setzero_si256();
  for (std::size_t begin = 0; begin < all; begin += kWithoutOverflow) {
    __m256i low = _mm256_setzero_si256(), middle = low, high = low;
    const std::size_t end = std::min(all, begin + kWithoutOverflow);
    for (std::size_t i = begin; i < end; i += kAtOnce) {
      const __m256i some = load<Number>(numbers + i * sizeof(Number));
      low = add_products(low, some, &kWeightParts.of[0][i]);
      middle = add_products(middle, some, &kWeightParts.of[1][i]);
      high = add_products(high, some, &kWeightParts.of[2][i]);
    }
    sums = _mm256_add_epi64(sums, add_by_twos(low));
    sums = _mm256_add_epi64(sums, _mm256_slli_epi64(add_by_twos(middle), WeightParts::kBits));
    sums = _mm256_add_epi64(sums, _mm256_slli_epi64(add_by_twos(high), 2 * WeightParts::kBits));
  }
  return sum_of(sums) + kTooMuch<Number> * kWeights.before[all] + weigh_rest<Number>(numbers, all, count);
}

/// Returns the products of every second integer.
template <class Number>
[[gnu::target("avx2")]] __m256i multiply(__m256i a, __m256i b) {
  return std::is_signed_v<Number> ? _mm256_mul_epi32(a, b) : _mm256_mul_epu32(a, b);
}

template <class Number>
[[gnu::target("avx2")]] std::uint64_t weigh_by_avx2(const std::byte* numbers, std::size_t count) {
  if constexpr (sizeof(Number) < sizeof(std::uint32_t)) return weigh_narrow<Number>(numbers, count);
  constexpr std::size_t kAtOnce = 8;
  constexpr int kOther = 32;
  __m256i sums = _mm256_setzero_si256(), others = sums;
  std::size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + i * sizeof(Number)));
    const __m256i weights = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&kWeights.of[i]));
    sums = _mm256_add_epi64(sums, multiply<Number>(eight, weights));
    others = _mm256_add_epi64(
        others, multiply<Number>(_mm256_srli_epi64(eight, kOther), _mm256_srli_epi64(weights, kOther)));
  }
  return sum_of(_mm256_add_epi64(sums, others)) + weigh_rest<Number>(numbers, i, count);
}
#endif

}  // namespace

template <class Number>
std::uint64_t weigh(const void* numbers, std::size_t count) {
  const auto* const bytes = static_cast<const std::byte*>(numbers);
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return weigh_by_avx2<Number>(bytes, count);
#endif
  return weigh_rest<Number>(bytes, 0, count);
}

template std::uint64_t weigh<std::uint8_t>(const void*, std::size_t);
template std::uint64_t weigh<std::uint16_t>(const void*, std::size_t);
template std::uint64_t weigh<std::uint32_t>(const void*, std::size_t);
template std::uint64_t weigh<std::int8_t>(const void*, std::size_t);
template std::uint64_t weigh<std::int16_t>(const void*, std::size_t);
template std::uint64_t weigh<std::int32_t>(const void*, std::size_t);

std::string hex_of(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
  return text;
}

void ByteSum::add(std::uint64_t offset, const void* data, std::size_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  const auto* from = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const std::uint64_t word = offset / kWord, block = word >> Weights::kBlockBits,
                        at = word % Weights::kBlock;
    std::uint64_t of_block = 0;
    std::size_t taken = 0;
    if (at == 0 && offset % kWord == 0 && bytes >= kWord) {  // a run of words of the block
      const std::size_t words = std::min<std::size_t>(bytes / kWord, Weights::kBlock);
      of_block = weigh<std::uint32_t>(from, words);
      taken = words * kWord;
    } else {
      taken = std::min<std::size_t>(bytes, kWord - offset % kWord);
      std::uint32_t number = 0;
      std::memcpy(reinterpret_cast<std::byte*>(&number) + offset % kWord, from, taken);
      of_block = std::uint64_t{number} * kWeights.of[at];
    }
    sum_ += of_block * factor_of_block(0, block);
    offset += taken;
    from += taken;
    bytes -= taken;
  }
}

std::string checksum_of_file(const std::string& path) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  const Descriptor file = open_again(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (!file) throw system_error(failure_to_read(errno), "cannot be read", errno);
  ByteSum sum;
  std::vector<std::byte> piece(kAtOnce);
  std::size_t bytes = 0;
  for (std::size_t got = kAtOnce; got == kAtOnce; bytes += got) {
    got = read_all_at(file.get(), piece.data(), piece.size(), bytes);
    sum.add(bytes, piece.data(), got);
  }
  return sum.text(bytes);
}

}  // namespace gpuccl::io
