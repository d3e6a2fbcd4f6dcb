#include "io/deflate/block_inflater.hpp"

#include <utility>

#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {
namespace {

using Entry = std::uint32_t;

// Entry of a table: the length of the code (bits 0 to 7), the number of extra bits (8 to 11), one of these
// flags, or none for a match, and the value (16 to 31).
constexpr Entry kLiteral = 1 << 15, kTable = 1 << 14, kEnd = 1 << 13, kInvalid = 1 << 12;
constexpr Entry kCodeBits = 0xff;

constexpr unsigned extra_bits(Entry entry) { return entry >> 8 & 15; }
constexpr std::uint32_t value(Entry entry) { return entry >> 16; }
constexpr Entry match(std::uint32_t first, int bits) { return first << 16 | static_cast<Entry>(bits) << 8; }

constexpr std::size_t kFixedLiterals = 288, kFixedDistances = 32;

constexpr auto kLiteralEntries = [] {
  std::array<Entry, kFixedLiterals> entries{};
  for (Entry i = 0; i < kEndOfBlock; ++i) entries[i] = kLiteral | i << 16;
  entries[kEndOfBlock] = kEnd;
  for (std::uint32_t length = kMaxMatch; length >= kMinMatch; --length) {
    const Symbol symbol = length_symbol(length);
    entries[symbol.number] = match(length, symbol.bits);
  }
  for (std::size_t i = kLiteralSymbols; i < kFixedLiterals; ++i) entries[i] = kInvalid;
  return entries;
}();

constexpr auto kDistanceEntries = [] {
  std::array<Entry, kFixedDistances> entries{};
  for (std::uint32_t i = 0; i < kDistanceSymbols; ++i)
    entries[i] = match(i < 4 ? i + 1 : ((2 | (i & 1)) << distance_bits(i)) + 1, distance_bits(i));
  for (std::size_t i = kDistanceSymbols; i < kFixedDistances; ++i) entries[i] = kInvalid;
  return entries;
}();
static_assert(value(kDistanceEntries[29]) == 24577 && value(kLiteralEntries[257 + 27]) == 227);

constexpr auto kLengthEntries = [] {
  std::array<Entry, kLengthSymbols> entries{};
  for (Entry i = 0; i < kLengthSymbols; ++i) entries[i] = i << 16;
  return entries;
}();

/// Returns the maximum of these code lengths; nothing if no prefix code has them. A single code of one bit is
/// valid, as in zlib.
std::optional<unsigned> longest_code(std::span<const std::uint8_t> lengths) {
  std::array<std::uint32_t, kMaxCodeLength + 1> count{};
  for (const std::uint8_t length : lengths) ++count[length];
  std::uint32_t left = 1;
  unsigned longest = 0;
  for (unsigned length = 1; length <= kMaxCodeLength; ++length) {
    if (left * 2 < count[length]) return std::nullopt;
    left = left * 2 - count[length];
    if (count[length] != 0) longest = length;
  }
  return left == 0 || longest <= 1 ? std::optional(longest) : std::nullopt;
}

/// Fills a table indexed by the next `bits` bits, followed by tables for the rest of longer codes. Returns
/// false if no prefix code has these lengths.
bool make_table(std::span<const std::uint8_t> lengths, std::span<const Entry> entries, unsigned bits,
                std::span<Entry> table) {
  const std::optional<unsigned> longest = longest_code(lengths);
  if (!longest) return false;
  std::array<std::uint16_t, kFixedLiterals> codes;
  assign_codes(lengths, codes);
  const std::uint32_t size = 1u << bits;
  const auto fill = [&](std::size_t from, std::uint32_t count, std::uint32_t code, unsigned length,
                        Entry entry) {
    for (std::uint32_t i = code; i < count; i += 1u << length) table[from + i] = entry | length;
  };
  std::fill_n(table.begin(), size, kInvalid | 1);
  std::uint32_t used = size;
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const unsigned length = lengths[symbol], code = codes[symbol];
    if (length == 0) continue;
    if (length <= bits) {
      fill(0, size, code, length, entries[symbol]);
      continue;
    }
    Entry& first = table[code & (size - 1)];
    const unsigned more = *longest - bits;
    if ((first & kTable) == 0) {
      first = kTable | used << 16 | more << 8 | bits;
      used += 1u << more;
    }
    fill(value(first), 1u << more, code >> bits, length - bits, entries[symbol]);
  }
  return true;
}

/// Copies a match, which may overlap its copy. Writes up to 31 units after its end.
template <class Unit>
void copy_match(Unit* out, std::size_t distance, std::size_t length) {
  constexpr std::size_t kWide = 16 / sizeof(Unit);
  const Unit* from = out - distance;
  if (distance == 1) {
    using Units [[gnu::vector_size(kWide * sizeof(Unit))]] = Unit;
    const Units units = Units{} + *from;
    for (Unit* const end = out + length; out < end; out += kWide) std::memcpy(out, &units, sizeof units);
    return;
  }
  Unit* const end = out + length;
  if (distance < kWide) {  // repeats the period until copies do not overlap
    const std::size_t step = (kWide + distance - 1) / distance * distance;
    for (std::size_t i = 0; i < step; ++i) out[i] = from[i];
    from = out;
    out += step;
  }
  for (; out < end; out += kWide, from += kWide) std::memcpy(out, from, kWide * sizeof(Unit));
}

}  // namespace

bool BlockInflater::begin_block() {
  constexpr unsigned kStored = 0, kFixed = 1, kOwn = 2;
  reader_.refill();
  is_last_ = reader_.take(1) != 0;
  const unsigned kind = reader_.take(2);
  is_stored_ = kind == kStored;
  if (kind == kStored) return begin_stored();
  if (kind == kFixed) use_fixed_codes();
  return kind == kFixed || (kind == kOwn && read_codes());
}

bool BlockInflater::begin_stored() {
  reader_.go_to((reader_.position() + 7) / 8 * 8);
  stored_ = reader_.take(16);
  const std::uint32_t inverse = reader_.take(16);
  if ((stored_ ^ inverse) != 0xffff) return false;
  return reader_.position() / 8 + stored_ <= in_.size();
}

void BlockInflater::use_fixed_codes() {
  if (std::exchange(has_fixed_codes_, true)) return;
  std::array<std::uint8_t, kFixedLiterals> lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  make_table(lengths, kLiteralEntries, kLiteralBits, literals_);
  std::array<std::uint8_t, kFixedDistances> fives;
  fives.fill(5);
  make_table(fives, kDistanceEntries, kDistanceBits, distances_);
}

bool BlockInflater::read_codes() {
  const std::size_t literals = reader_.take(5) + 257, distances = reader_.take(5) + 1;
  const std::size_t given = reader_.take(4) + 4;
  if (literals > kLiteralSymbols || distances > kDistanceSymbols) return false;
  std::array<std::uint8_t, kLengthSymbols> of_lengths{};
  reader_.refill();
  for (std::size_t i = 0; i < given; ++i) {
    if (i == 16) reader_.refill();
    of_lengths[kLengthOrder[i]] = static_cast<std::uint8_t>(reader_.take(3));
  }
  if (std::count(of_lengths.begin(), of_lengths.end(), 0) > std::ptrdiff_t{kLengthSymbols} - 2) return false;
  std::array<Entry, 1 << kLengthBits> table;
  if (!make_table(of_lengths, kLengthEntries, kLengthBits, table)) return false;

  constexpr std::uint32_t kRepeat = 16, kFewZeros = 17;
  std::array<std::uint8_t, kLiteralSymbols + kDistanceSymbols> lengths;
  for (std::size_t i = 0; i < literals + distances;) {
    reader_.refill();
    const Entry entry = table[reader_.bits() & ((1 << kLengthBits) - 1)];
    if ((entry & kInvalid) != 0) return false;
    reader_.drop(entry & kCodeBits);
    const std::uint32_t symbol = value(entry);
    if (symbol < kRepeat) {
      lengths[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == kRepeat && i == 0) return false;
    const std::uint8_t repeated = symbol == kRepeat ? lengths[i - 1] : 0;
    const std::size_t count = symbol == kRepeat     ? 3 + reader_.take(2)
                              : symbol == kFewZeros ? 3 + reader_.take(3)
                                                    : 11 + reader_.take(7);
    if (count > literals + distances - i) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), count, repeated);
    i += count;
  }
  has_fixed_codes_ = false;
  const std::span<const std::uint8_t> all = lengths;
  return lengths[kEndOfBlock] != 0 &&
         make_table(all.first(literals), kLiteralEntries, kLiteralBits, literals_) &&
         make_table(all.subspan(literals, distances), kDistanceEntries, kDistanceBits, distances_);
}

template <unsigned bits>
[[gnu::always_inline]] inline BlockInflater::Entry BlockInflater::next(BitReader& reader,
                                                                       const Entry* table) {
  Entry entry = table[reader.bits() & ((1u << bits) - 1)];
  if ((entry & kTable) != 0) {
    reader.drop(bits);
    entry = table[value(entry) + (reader.bits() & ((1u << extra_bits(entry)) - 1))];
  }
  reader.drop(entry & kCodeBits);
  return entry;
}

template <class Unit>
void BlockInflater::copy_stored(Unit*& out, Unit* end) {
  const auto count = std::min<std::size_t>(stored_, static_cast<std::size_t>(end - out));
  const auto at = static_cast<std::size_t>(reader_.position() / 8);
  std::transform(in_.begin() + static_cast<std::ptrdiff_t>(at),
                 in_.begin() + static_cast<std::ptrdiff_t>(at + count), out,
                 [](std::byte byte) { return std::to_integer<Unit>(byte); });
  out += count;
  stored_ -= static_cast<std::uint32_t>(count);
  reader_.go_to((std::uint64_t{at} + count) * 8);
}

template <class Unit>
void BlockInflater::copy_rest(Unit*& out, Unit* end, std::uint32_t& length, std::uint32_t distance) {
  for (; length > 0 && out < end; --length, ++out) *out = *(out - distance);
}

template <class Unit>
BlockInflater::State BlockInflater::inflate(const Unit* floor, Unit*& out, Unit* end) {
  constexpr std::ptrdiff_t kRoom = kMaxMatch + 32;  // maximum that copy_match() writes
  if (is_stored_) {
    copy_stored(out, end);
    return stored_ > 0 ? State::full : State::block_over;
  }
  copy_rest(out, end, length_, distance_);
  Unit* to = out;
  BitReader reader = reader_;  // in registers, because output might alias members
  const auto stopped = [&](State state) {
    out = to;
    reader_ = reader;
    return state;
  };
  for (;;) {
    reader.refill();
    const bool is_tight = end - to < kRoom;
    if (is_tight && to == end) {
      if (length_ > 0) return stopped(State::full);
      const BitReader before = reader;
      if ((next<kLiteralBits>(reader, literals_.data()) & kEnd) != 0) return stopped(State::block_over);
      reader = before;
      return stopped(State::full);
    }
    const Entry entry = next<kLiteralBits>(reader, literals_.data());
    if ((entry & kLiteral) != 0) {
      *to++ = static_cast<Unit>(value(entry));
      continue;
    }
    if ((entry & (kEnd | kInvalid)) != 0)
      return stopped((entry & kEnd) != 0 ? State::block_over : State::damaged);
    std::uint32_t length = value(entry) + reader.take(extra_bits(entry));
    const Entry far = next<kDistanceBits>(reader, distances_.data());
    const std::uint32_t distance = value(far) + reader.take(extra_bits(far));
    if ((far & kInvalid) != 0 || static_cast<std::ptrdiff_t>(distance) > to - floor)
      return stopped(State::damaged);
    if (!is_tight) {
      copy_match(to, distance, length);
      to += length;
    } else {
      copy_rest(to, end, length, distance);
      length_ = length;
      distance_ = distance;
    }
  }
}

template BlockInflater::State BlockInflater::inflate(const std::uint8_t*, std::uint8_t*&, std::uint8_t*);
template BlockInflater::State BlockInflater::inflate(const std::uint16_t*, std::uint16_t*&, std::uint16_t*);

std::optional<std::uint64_t> BlockInflater::find_block(std::span<const std::byte> in, std::uint64_t begin,
                                                       std::uint64_t end) {
  constexpr std::uint64_t kHead = 17;    // bits before the lengths of code lengths
  constexpr std::uint64_t kLeast = 128;  // minimum bits of a block
  const auto load = [&](std::uint64_t bit) {
    std::uint64_t word;
    std::memcpy(&word, in.data() + bit / 8, sizeof word);
    return word >> bit % 8;
  };
  constexpr unsigned kComplete = 1u << kLengthBits;  // the sum of the shares of all codes
  static constexpr auto kSharesOfFour = [] {         // of four code lengths of three bits
    std::array<std::uint16_t, 1 << 12> shares{};
    for (unsigned four = 0; four < shares.size(); ++four)
      for (unsigned rest = four; rest != 0; rest >>= 3)
        if ((rest & 7) != 0) shares[four] += static_cast<std::uint16_t>(kComplete >> (rest & 7));
    return shares;
  }();
  constexpr int kMostTries = 1 << 16;  // a block of 1 MB takes about 4000
  int tries = 0;
  BlockInflater inflater(in, begin);
  for (std::uint64_t bit = begin; bit < end && bit + kLeast <= in.size() * 8; ++bit) {
    constexpr unsigned kKind = 6, kOwnCodes = 4;
    const std::uint64_t word = load(bit);
    if ((word & kKind) != kOwnCodes || (word >> 3 & 31) > kLiteralSymbols - 257 ||
        (word >> 8 & 31) > kDistanceSymbols - 1)
      continue;
    const auto given = static_cast<unsigned>(word >> 13 & 15) + 4, seen = std::min(given, 18u);
    const std::uint64_t lengths = load(bit + kHead) & ((std::uint64_t{1} << 3 * seen) - 1);
    unsigned sum = 0;
    for (unsigned i = 0; i < 5; ++i) sum += kSharesOfFour[lengths >> 12 * i & 0xfff];
    if (sum > kComplete || (given == seen && sum < kComplete)) continue;
    inflater.go_to(bit);
    if (inflater.begin_block()) return bit;
    if (++tries == kMostTries) break;
  }
  return std::nullopt;
}

}  // namespace gpuccl::io
