#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

// Runs in rows of packed bits, 64 elements at a time; bit x % 64 of word x / 64 is element x.
namespace gpuccl::cpu {

static_assert(std::endian::native == std::endian::little,
              "two 32-bit words of a row are read as one of 64 bits");

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

inline Word load_word(const std::uint32_t* row, int word) {
  Word value;
  std::memcpy(&value, row + 2 * static_cast<std::int64_t>(word), sizeof value);
  return value;
}

/// Returns the elements that begin a run; `left` is the word to the left.
inline Word run_starts(Word word, Word left) { return word & ~(word << 1 | left >> (kWordBits - 1)); }

/// Returns bits 0 to `bit`.
inline Word up_to(int bit) { return ~Word{0} >> (kWordBits - 1 - bit); }

/// Visits the runs of a row as visit(begin, end, name); `name` is name_of(word, bit) of the first element.
/// The row has `words` words, with zeros after the last element.
template <class NameOf, class Visit>
void for_each_run(const std::uint32_t* row, int words, NameOf name_of, Visit visit) {
  Word carry = 0;  // 1 if a run continues from the word to the left
  int begin = 0;
  decltype(name_of(0, 0)) name{};
  for (int i = 0; i < words; ++i) {
    const Word word = load_word(row, i);
    Word changes = word ^ (word << 1 | carry);
    const int x = i * kWordBits;
    if (carry != 0 && changes != 0) {
      visit(begin, x + std::countr_zero(changes), name);
      changes &= changes - 1;
    }
    while (changes != 0) {
      const int bit = std::countr_zero(changes);
      begin = x + bit;
      name = name_of(i, bit);
      changes &= changes - 1;
      if (changes == 0) break;
      visit(begin, x + std::countr_zero(changes), name);
      changes &= changes - 1;
    }
    carry = word >> (kWordBits - 1);
  }
  if (carry != 0) visit(begin, words * kWordBits, name);
}

}  // namespace gpuccl::cpu
