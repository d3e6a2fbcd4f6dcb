#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kMaxSymbols = kLiteralSymbols;

std::uint16_t reversed(unsigned code, int length) {
  unsigned result = 0;
  for (int i = 0; i < length; ++i) result |= (code >> i & 1u) << (length - 1 - i);
  return static_cast<std::uint16_t>(result);
}

}  // namespace

// Huffman's pairs are made in the order of their weights, so that the lightest nodes are at the heads of two
// queues: symbols and pairs. Codes that come out too long are cut off, and for each unit (2^-max_length) that
// this takes too much of the code space, a shorter code is split: one half for its symbol, the other half for
// one of those cut off (as in zlib). That is not the best of all codes, but rarely happens.
void find_code_lengths(std::span<const std::uint32_t> frequencies, int max_length,
                       std::span<std::uint8_t> lengths) {
  std::array<std::uint64_t, kMaxSymbols> symbols{};  // by frequency
  std::size_t n = 0;
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    if (frequencies[i] != 0) symbols[n++] = std::uint64_t{frequencies[i]} << 16 | i;
  std::sort(symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(n));

  std::array<std::uint64_t, kMaxSymbols> weights{};  // of pairs
  std::array<std::uint16_t, kMaxSymbols> pair_of_symbol{}, pair_of_pair{};
  std::size_t symbol = 0, pair = 0;
  for (std::size_t made = 0; made + 1 < n; ++made) {
    for (int half = 0; half < 2; ++half) {
      if (symbol < n && (pair == made || symbols[symbol] >> 16 <= weights[pair])) {
        weights[made] += symbols[symbol] >> 16;
        pair_of_symbol[symbol++] = static_cast<std::uint16_t>(made);
      } else {
        weights[made] += weights[pair];
        pair_of_pair[pair++] = static_cast<std::uint16_t>(made);
      }
    }
  }

  const auto longest = static_cast<unsigned>(max_length);
  std::array<std::uint16_t, kMaxSymbols> depths{};  // of pairs, the last of which is the root
  for (std::size_t i = n - 2; i-- > 0;) depths[i] = static_cast<std::uint16_t>(depths[pair_of_pair[i]] + 1);
  std::array<unsigned, kMaxCodeLength + 1> counts{};
  std::int64_t excess = -(std::int64_t{1} << longest);
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned length = std::min(depths[pair_of_symbol[i]] + 1u, longest);
    ++counts[length];
    excess += std::int64_t{1} << (longest - length);
  }
  for (; excess > 0; --excess) {
    unsigned length = longest - 1;
    while (counts[length] == 0) --length;
    --counts[length];
    counts[length + 1] += 2;
    --counts[longest];
  }

  std::fill(lengths.begin(), lengths.end(), std::uint8_t{0});
  std::size_t next = 0;
  for (unsigned length = longest; length > 0; --length)
    for (unsigned i = 0; i < counts[length]; ++i)
      lengths[symbols[next++] & 0xffff] = static_cast<std::uint8_t>(length);
}

void assign_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes) {
  std::array<unsigned, kMaxCodeLength + 2> next{};  // next[l + 1] counts, then next[l] is the next code
  for (const std::uint8_t length : lengths)
    if (length != 0) ++next[length + 1u];
  for (std::size_t length = 1; length < next.size(); ++length)
    next[length] = (next[length] + next[length - 1]) << 1;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != 0) codes[i] = reversed(next[lengths[i]]++, lengths[i]);
}

}  // namespace gpuccl::io
