#include "io/deflate/block_header.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "io/deflate/prefix_code.hpp"

namespace gpuccl::io {
namespace {

/// Code lengths as a block's header has them: one by one, or repeated (16, 17, 18).
struct LengthCode {
  std::uint8_t symbol;
  std::uint8_t bits;  // extra
  std::uint8_t extra;
};

std::vector<LengthCode> shortened(std::span<const std::uint8_t> lengths) {
  std::vector<LengthCode> codes;
  const auto repeat = [&](std::size_t& count, std::size_t fewest, std::size_t most, std::uint8_t symbol,
                          std::uint8_t bits) {
    while (count >= fewest) {
      const std::size_t taken = std::min(count, most);
      codes.push_back({symbol, bits, static_cast<std::uint8_t>(taken - fewest)});
      count -= taken;
    }
  };
  for (std::size_t i = 0; i < lengths.size();) {
    const std::uint8_t length = lengths[i];
    std::size_t count = 0;
    while (i < lengths.size() && lengths[i] == length) ++i, ++count;
    if (length == 0) {
      repeat(count, 11, 138, 18, 7);
      repeat(count, 3, 10, 17, 3);
    } else {
      codes.push_back({length, 0, 0});
      --count;
      repeat(count, 3, 6, 16, 2);
    }
    codes.insert(codes.end(), count, {length, 0, 0});
  }
  return codes;
}

}  // namespace

void write_block_header(BitWriter& writer, bool is_last, std::span<const std::uint8_t> literals,
                        std::span<const std::uint8_t> distances) {
  std::vector<std::uint8_t> all(literals.begin(), literals.end());
  all.insert(all.end(), distances.begin(), distances.end());
  const std::vector<LengthCode> lengths = shortened(all);
  std::array<std::uint32_t, kLengthSymbols> frequencies{};
  for (const LengthCode& length : lengths) ++frequencies[length.symbol];
  make_complete(frequencies);
  const PrefixCode<kLengthSymbols> code(frequencies, 7);

  std::size_t used = kLengthSymbols;
  while (used > 4 && code.lengths[kLengthOrder[used - 1]] == 0) --used;
  writer.put(is_last ? 1 : 0, 1);
  writer.put(2, 2);  // codes of its own
  writer.put(literals.size() - 257, 5);
  writer.put(distances.size() - 1, 5);
  writer.put(used - 4, 4);
  for (std::size_t i = 0; i < used; ++i) writer.put(code.lengths[kLengthOrder[i]], 3);
  for (const LengthCode& length : lengths) {
    writer.put(code.codes[length.symbol], code.lengths[length.symbol]);
    writer.put(length.extra, length.bits);
  }
}

}  // namespace gpuccl::io
