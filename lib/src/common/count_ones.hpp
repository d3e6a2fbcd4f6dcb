#pragma once

#include <bit>

#include "gpuccl/types.hpp"

namespace gpuccl {

/// Bits that are set in an unsigned word of 32 or 64 bits.
template <class Word>
GPUCCL_HD int count_ones(Word word) {
#ifdef __CUDA_ARCH__
  return sizeof(Word) == sizeof(unsigned) ? __popc(static_cast<unsigned>(word)) : __popcll(word);
#else
  return std::popcount(word);
#endif
}

}  // namespace gpuccl
