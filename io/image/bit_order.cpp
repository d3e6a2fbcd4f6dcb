#include "io/image/bit_order.hpp"

#include <cstring>

namespace gpuccl::io {

void reverse_bits(const std::byte* from, std::size_t bytes, std::byte* to, std::uint64_t keep,
                  std::uint64_t flip) {
  constexpr std::size_t kWords = 8, kWordBytes = 8;  // a number that compilers know makes a loop of vectors
  std::size_t at = 0;
  for (; at + kWords * kWordBytes <= bytes; at += kWords * kWordBytes) {
    std::uint64_t words[kWords];
    std::memcpy(words, from + at, sizeof words);
    for (std::uint64_t& word : words) word = (reverse_bits_of_bytes(word) & keep) ^ flip;
    std::memcpy(to + at, words, sizeof words);
  }
  const auto reverse_word = [&](std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, count);
    word = (reverse_bits_of_bytes(word) & keep) ^ flip;
    std::memcpy(to + at, &word, count);
  };
  for (; at + kWordBytes <= bytes; at += kWordBytes) reverse_word(kWordBytes);
  if (at < bytes) reverse_word(bytes - at);
}

}  // namespace gpuccl::io
