#include "io/deflate/run_deflater.hpp"

#include <algorithm>
#include <utility>

#include "io/deflate/bit_writer.hpp"
#include "io/deflate/huffman_code.hpp"

namespace gpuccl::io {
namespace {

constexpr std::uint32_t kMinMatch = 3, kMaxMatch = 258;

/// What stands beside the length of a match in Token::match.
constexpr std::uint32_t kAbove = 512, kHasSample = 1024, kFilter = 2048;
constexpr std::int64_t kWindow = 32768;  // the farthest distance

/// Where the runs are shorter than this many samples on average, for each byte of a sample, libdeflate finds
/// more in them.
constexpr std::int64_t kSamplesARun = 3;
/// A match with the row above has 12 bits or so of distance: it pays for two stretches or more, but not for
/// long ones, of which each piece of 258 bytes would cost as much again.
constexpr std::int64_t kLongStretch = 300;

/// Rows up to here are added up without a modulus: 4 * 1020 * 2^39 fits 64 bits.
constexpr int kNarrow = 1 << 20;

constexpr std::size_t kEndOfBlock = 256, kFirstLength = 257;
constexpr std::size_t kLiteralSymbols = 286, kDistanceSymbols = 30, kLengthSymbols = 19;

/// A symbol that stands for several values, which `bits` extra bits tell apart.
struct Slot {
  std::size_t symbol = 0;
  int bits = 0;
  std::uint32_t extra = 0;
};

/// Lengths 3 to 258: from 11 on groups of four symbols, each group with one extra bit more; 258 is alone.
constexpr Slot length_slot(std::uint32_t length) {
  if (length == kMaxMatch) return {kFirstLength + 28, 0, 0};
  const std::uint32_t from = length - kMinMatch;
  int bits = 0;
  while (from >> bits >= 8) ++bits;
  return {kFirstLength + static_cast<std::size_t>(4 * bits) + (from >> bits), bits,
          from & ((1u << bits) - 1)};
}

/// Distances 1 to 32768: from 5 on groups of two.
constexpr Slot distance_slot(std::int64_t distance) {
  const std::int64_t from = distance - 1;
  int bits = 0;
  while (from >> bits >= 4) ++bits;
  return {static_cast<std::size_t>(2 * bits + (from >> bits)), bits,
          static_cast<std::uint32_t>(from & ((std::int64_t{1} << bits) - 1))};
}
static_assert(length_slot(3).symbol == 257 && length_slot(10).symbol == 264 && length_slot(11).symbol == 265);
static_assert(length_slot(257).symbol == 284 && length_slot(257).bits == 5 && length_slot(257).extra == 30);
static_assert(distance_slot(4).symbol == 3 && distance_slot(5).symbol == 4 && distance_slot(5).bits == 1);
static_assert(distance_slot(32768).symbol == 29 && distance_slot(32768).bits == 13);

/// Cuts a match into those that Deflate has, visited as visit(length, times): the longest ones, and no rest
/// of less than the shortest.
template <class Visit>
void for_each_piece(std::int64_t bytes, Visit visit) {
  std::int64_t full = bytes / kMaxMatch;
  auto rest = static_cast<std::uint32_t>(bytes % kMaxMatch);
  if (rest != 0 && rest < kMinMatch) {
    --full;
    visit(kMaxMatch - kMinMatch, 1);
    rest += kMinMatch;
  }
  if (rest != 0) visit(rest, 1);
  if (full != 0) visit(kMaxMatch, static_cast<std::uint32_t>(full));
}

/// The bytes of a sample in the order of the file, the first one lowest.
std::uint32_t stored(Label label, const SampleRow& row) {
  return row.png && row.sample_bytes == 2 ? (label >> 8 & 0xff) | (label & 0xff) << 8 : label;
}

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

/// A complete code has two symbols at least.
template <std::size_t size>
void make_complete(std::array<std::uint32_t, size>& frequencies) {
  auto used = std::count_if(frequencies.begin(), frequencies.end(), [](std::uint32_t f) { return f != 0; });
  for (std::size_t i = 0; used < 2; ++i) {
    if (frequencies[i] != 0) continue;
    frequencies[i] = 1;
    ++used;
  }
}

/// A prefix code over `size` symbols made for their frequencies.
template <std::size_t size>
struct Code {
  std::array<std::uint8_t, size> lengths{};
  std::array<std::uint16_t, size> codes{};

  Code(const std::array<std::uint32_t, size>& frequencies, int max_length) {
    find_code_lengths(frequencies, max_length, lengths);
    assign_codes(lengths, codes);
  }
  void add_to(Bits& bits, const Slot& slot) const {
    bits.add(codes[slot.symbol], lengths[slot.symbol]);
    bits.add(slot.extra, slot.bits);
  }
  std::size_t used() const {
    std::size_t end = size;
    while (lengths[end - 1] == 0) --end;
    return end;
  }
};

/// The code lengths of both alphabets, in a code of their own.
void write_codes(BitWriter& writer, std::span<const std::uint8_t> literals,
                 std::span<const std::uint8_t> distances) {
  constexpr std::array<std::uint8_t, kLengthSymbols> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                               11, 4,  12, 3, 13, 2, 14, 1, 15};
  std::vector<std::uint8_t> all(literals.begin(), literals.end());
  all.insert(all.end(), distances.begin(), distances.end());
  const std::vector<LengthCode> lengths = shortened(all);
  std::array<std::uint32_t, kLengthSymbols> frequencies{};
  for (const LengthCode& length : lengths) ++frequencies[length.symbol];
  make_complete(frequencies);
  const Code<kLengthSymbols> code(frequencies, 7);

  std::size_t used = kLengthSymbols;
  while (used > 4 && code.lengths[kOrder[used - 1]] == 0) --used;
  writer.put(literals.size() - 257, 5);
  writer.put(distances.size() - 1, 5);
  writer.put(used - 4, 4);
  for (std::size_t i = 0; i < used; ++i) writer.put(code.lengths[kOrder[i]], 3);
  for (const LengthCode& length : lengths) {
    writer.put(code.codes[length.symbol], code.lengths[length.symbol]);
    writer.put(length.extra, length.bits);
  }
}

}  // namespace

bool RunDeflater::pays(std::size_t runs, std::int64_t rows) const {
  return static_cast<std::int64_t>(runs) * kSamplesARun * row_.sample_bytes < rows * row_.width;
}

std::span<const std::byte> RunDeflater::stream(const LabelRuns& rows) {
  tokenize(rows);
  const std::size_t end = write_block(2, true);
  out_[0] = std::byte{0x78};  // Deflate, a window of 32 KiB
  out_[1] = std::byte{0x01};  // fastest
  for (std::size_t i = 0; i < 4; ++i)
    out_[end + i] = static_cast<std::byte>(checksum_.value() >> (24 - 8 * i) & 0xff);
  return {out_.data(), end + 4};
}

std::span<const std::byte> RunDeflater::blocks(const LabelRuns& rows) {
  tokenize(rows);
  const std::size_t end = write_block(0, false);
  return {out_.data(), end};
}

void RunDeflater::tokenize(const LabelRuns& rows) {
  tokens_.clear();
  literals_.fill(0);
  matches_.fill(0);
  checksum_ = {};
  switch (row_.sample_bytes) {
    case 1:
      return find_tokens<1>(rows);
    case 2:
      return find_tokens<2>(rows);
    default:
      return find_tokens<4>(rows);
  }
}

template <int bytes>
void RunDeflater::find_tokens(const LabelRuns& rows) {
  const LabelRun* run = rows.runs.data();
  for (std::size_t i = 0; i < rows.ends.size(); ++i) {
    const LabelRun* const end = rows.runs.data() + rows.ends[i];
    cut_row<bytes>(run, end, rows_[i % 2]);
    add_row<bytes>(rows_[i % 2], i == 0 ? nullptr : &rows_[(i + 1) % 2]);
    run = end;
  }
}

/// Stretches of runs and of zeros, and what they add to the checksum: sample k of the row is byte
/// k * bytes and following.
template <int bytes>
void RunDeflater::cut_row(const LabelRun* run, const LabelRun* end, std::vector<Stretch>& row) {
  const int filter_bytes = row_.png ? 1 : 0;
  row.resize(static_cast<std::size_t>(2 * (end - run) + 1));
  Stretch* next = row.data();
  int at = 0;
  std::uint64_t sum = 0, weighted = 0;
  for (; run != end; ++run) {
    const std::uint32_t sample = stored(run->label, row_);
    if (at < run->begin) *next++ = {run->begin, 0};
    *next++ = {at = run->end, sample};

    std::uint64_t of_sample = 0, weighted_in_sample = 0;
    for (int i = 0; i < bytes; ++i) {
      const std::uint64_t byte = sample >> 8 * i & 0xff;
      of_sample += byte;
      weighted_in_sample += static_cast<std::uint64_t>(i + filter_bytes) * byte;
    }
    const auto begin = static_cast<std::uint64_t>(run->begin);
    const auto count = static_cast<std::uint64_t>(run->end) - begin;
    std::uint64_t places = count * begin + count * (count - 1) / 2;
    if (row_.width > kNarrow) places %= Adler32::kModulus;
    sum += count * of_sample;
    weighted += places * bytes * of_sample + count * weighted_in_sample;
  }
  if (at < row_.width) *next++ = {row_.width, 0};
  row.resize(static_cast<std::size_t>(next - row.data()));
  checksum_.append(static_cast<std::uint64_t>(row_.bytes()), sum, weighted);
}

template <int bytes>
void RunDeflater::add_sample(std::uint32_t sample, std::uint32_t match_bytes) {
  for (int i = 0; i < bytes; ++i) ++literals_[sample >> 8 * i & 0xff];
  ++matches_[match_bytes];
  tokens_.push_back({sample, kHasSample | match_bytes, 1});
}

template <int bytes>
void RunDeflater::add_match(std::uint32_t from, std::uint32_t sample, std::int64_t match_bytes) {
  if (match_bytes < kMinMatch) {
    for (; match_bytes > 0; match_bytes -= bytes) add_sample<bytes>(sample, 0);
    return;
  }
  for_each_piece(match_bytes, [&](std::uint32_t length, std::uint32_t times) {
    matches_[from | length] += times;
    tokens_.push_back({0, from | length, times});
  });
}

template <int bytes>
void RunDeflater::add_row(const std::vector<Stretch>& row, const std::vector<Stretch>* above) {
  if (row_.png) {
    ++literals_[0];
    tokens_.push_back({0, kFilter, 1});
  }
  const bool in_window = above != nullptr && row_.bytes() <= kWindow;
  const bool goes_on = above != nullptr && !row_.png && above->back().sample == row.front().sample;
  const auto is_short = [](int begin, int end) { return std::int64_t{end - begin} * bytes <= kLongStretch; };

  const Stretch* here = row.data();
  const Stretch* there = in_window ? above->data() : nullptr;
  for (int x = 0; x < row_.width; ++here) {
    if (in_window && is_short(x, here->end)) {
      while (there->end <= x) ++there;
      if (there->sample == here->sample) {
        const Stretch *last = here, *last_above = there;
        while (last->end == last_above->end && last->end < row_.width &&
               last[1].sample == last_above[1].sample && is_short(last->end, last[1].end)) {
          ++last;
          ++last_above;
        }
        const int same = std::min(last->end, last_above->end);
        if (last != here && std::int64_t{same - x} * bytes >= kMinMatch) {
          add_match<bytes>(kAbove, 0, std::int64_t{same - x} * bytes);
          add_match<bytes>(0, last->sample, std::int64_t{last->end - same} * bytes);
          here = last;
          there = last_above;
          x = last->end;
          continue;
        }
      }
    }
    const bool repeats = x == 0 && goes_on;
    const std::int64_t match_bytes = std::int64_t{here->end - x - (repeats ? 0 : 1)} * bytes;
    if (!repeats && (match_bytes == 0 || (match_bytes >= kMinMatch && match_bytes <= kMaxMatch))) {
      add_sample<bytes>(here->sample, static_cast<std::uint32_t>(match_bytes));
    } else {
      if (!repeats) add_sample<bytes>(here->sample, 0);
      add_match<bytes>(0, here->sample, match_bytes);
    }
    x = here->end;
  }
}

/// Writes what the tokens say as one block from byte `at` of out_ on, with room for four bytes behind it.
/// Returns its end.
std::size_t RunDeflater::write_block(std::size_t at, bool is_last) {
  const Slot left = distance_slot(row_.sample_bytes), above = distance_slot(std::min(row_.bytes(), kWindow));
  std::array<std::uint32_t, kDistanceSymbols> distances{};
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::copy(literals_.begin(), literals_.end(), literals.begin());
  literals[kEndOfBlock] = 1;
  for (std::uint32_t length = kMinMatch; length <= kMaxMatch; ++length) {
    literals[length_slot(length).symbol] += matches_[length] + matches_[kAbove | length];
    distances[left.symbol] += matches_[length];
    distances[above.symbol] += matches_[kAbove | length];
  }
  make_complete(distances);
  const Code<kLiteralSymbols> literal_code(literals, 15);
  const Code<kDistanceSymbols> distance_code(distances, 15);

  // What stands for a byte, and for a match by its length and kAbove; nothing for a match of no length.
  std::array<Bits, 256> bytes;
  std::array<Bits, kAbove + kMaxMatch + 1> matches;
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    literal_code.add_to(bytes[byte], {byte, 0, 0});
    bits += std::uint64_t{literals_[byte]} * static_cast<std::uint64_t>(bytes[byte].count);
  }
  for (std::uint32_t length = kMinMatch; length <= kMaxMatch; ++length) {
    for (const std::uint32_t from : {0u, kAbove}) {
      Bits& match = matches[from | length];
      literal_code.add_to(match, length_slot(length));
      distance_code.add_to(match, from == 0 ? left : above);
      bits += std::uint64_t{matches_[from | length]} * static_cast<std::uint64_t>(match.count);
    }
  }

  constexpr std::size_t kMostHeaderBytes = 1024, kEndBytes = 8;
  const std::size_t most = at + kMostHeaderBytes + bits / 8 + kEndBytes + BitWriter::kSlack;
  if (out_.size() < most) out_.resize(most);
  BitWriter writer(out_.data() + at);
  writer.put(is_last ? 1 : 0, 1);
  writer.put(2, 2);  // codes of its own
  write_codes(writer, {literal_code.lengths.data(), literal_code.used()},
              {distance_code.lengths.data(), distance_code.used()});
  switch (row_.sample_bytes) {
    case 1:
      write_tokens<1>(writer, bytes, matches);
      break;
    case 2:
      write_tokens<2>(writer, bytes, matches);
      break;
    default:
      write_tokens<4>(writer, bytes, matches);
  }
  writer.put(literal_code.codes[kEndOfBlock], literal_code.lengths[kEndOfBlock]);
  if (!is_last) {  // an empty stored block ends on a byte
    writer.put(0, 3);
    writer.align();
    writer.put(0xffff0000, 32);
  }
  writer.align();
  return at + writer.bytes();
}

// Whether a token has a sample, and a match behind it, cannot be foreseen: both are written without a branch,
// as no bits where there is none.
template <int bytes>
void RunDeflater::write_tokens(BitWriter& writer, std::span<const Bits> of_bytes,
                               std::span<const Bits> of_matches) const {
  for (const Token& token : tokens_) {
    if ((token.match & kFilter) != 0) {
      writer.put(of_bytes[0].bits, of_bytes[0].count);
      continue;
    }
    const bool has_sample = (token.match & kHasSample) != 0;
    for (int i = 0; i < bytes; ++i) {
      const Bits byte = of_bytes[token.sample >> 8 * i & 0xff];
      writer.put(has_sample ? byte.bits : 0, has_sample ? byte.count : 0);
    }
    const Bits match = of_matches[token.match & ~kHasSample];
    for (std::uint32_t i = 0; i < token.times; ++i) writer.put(match.bits, match.count);
  }
}

}  // namespace gpuccl::io
