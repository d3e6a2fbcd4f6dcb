#pragma once

#include <cstdint>

#ifdef __SSE2__  // every x86-64 has it
#include <emmintrin.h>
#endif

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

}  // namespace gpuccl
