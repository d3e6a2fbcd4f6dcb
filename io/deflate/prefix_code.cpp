#include "io/deflate/prefix_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace gpuccl::io {
namespace {

constexpr int kMaxLength = 15;

std::uint16_t reversed(unsigned code, int length) {
  unsigned result = 0;
  for (int i = 0; i < length; ++i) result |= (code >> i & 1u) << (length - 1 - i);
  return static_cast<std::uint16_t>(result);
}

}  // namespace

// Each level has the symbols by weight, merged with the pairs of the level before. Of the last level the
// first 2n - 2 items are taken, of each level before it the items in the pairs that were: a symbol's length
// is the number of levels in which it was. In a level these are always the lightest symbols, so their number
// says which they are.
void find_code_lengths(std::span<const std::uint32_t> frequencies, int max_length,
                       std::span<std::uint8_t> lengths) {
  std::vector<std::uint16_t> symbols;
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    if (frequencies[i] != 0) symbols.push_back(static_cast<std::uint16_t>(i));
  std::stable_sort(symbols.begin(), symbols.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return frequencies[a] < frequencies[b]; });

  const std::size_t n = symbols.size();
  // symbols_in[d][i]: symbols among the first i items of a level.
  std::array<std::vector<std::uint16_t>, kMaxLength> symbols_in;
  std::vector<std::uint64_t> last, level;
  for (int depth = 0; depth < max_length; ++depth) {
    level.clear();
    std::vector<std::uint16_t>& counts = symbols_in[static_cast<std::size_t>(depth)];
    counts.reserve(2 * n + 1);
    std::size_t symbol = 0, pair = 0;
    while (level.size() < 2 * n) {
      const bool has_pair = 2 * pair + 1 < last.size();
      if (symbol == n && !has_pair) break;
      const std::uint64_t weight = has_pair ? last[2 * pair] + last[2 * pair + 1] : 0;
      const bool take_symbol = symbol < n && (!has_pair || frequencies[symbols[symbol]] <= weight);
      counts.push_back(static_cast<std::uint16_t>(symbol));
      level.push_back(take_symbol ? frequencies[symbols[symbol]] : weight);
      ++(take_symbol ? symbol : pair);
    }
    counts.push_back(static_cast<std::uint16_t>(symbol));
    std::swap(last, level);
  }

  std::fill(lengths.begin(), lengths.end(), std::uint8_t{0});
  std::size_t taken = 2 * n - 2;
  for (int depth = max_length - 1; depth >= 0 && taken > 0; --depth) {
    const std::size_t of_symbols = symbols_in[static_cast<std::size_t>(depth)][taken];
    for (std::size_t i = 0; i < of_symbols; ++i) ++lengths[symbols[i]];
    taken = 2 * (taken - of_symbols);
  }
}

void assign_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes) {
  std::array<unsigned, kMaxLength + 2> next{};  // next[l + 1] counts, then next[l] is the next code
  for (const std::uint8_t length : lengths)
    if (length != 0) ++next[length + 1u];
  for (std::size_t length = 1; length < next.size(); ++length)
    next[length] = (next[length] + next[length - 1]) << 1;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != 0) codes[i] = reversed(next[lengths[i]]++, lengths[i]);
}

}  // namespace gpuccl::io
