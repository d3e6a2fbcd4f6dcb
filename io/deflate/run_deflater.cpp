#include "io/deflate/run_deflater.hpp"

#include <algorithm>
#include <array>

namespace gpuccl::io {
namespace {

/// The codes of a block, made for its tokens, and how these are written in them.
class TokenCode {
 public:
  TokenCode(const RunTokens::Counts& counts, int sample_bytes)
      : TokenCode(SymbolCounts(counts, sample_bytes), sample_bytes) {}

  /// At most so many bytes are written.
  std::size_t most_bytes() const { return kMaxHeaderBytes + bits_ / 8 + 1; }
  /// A whole block (RFC 1951, 3.2.3), up to the end-of-block code.
  void write_block(BitWriter& writer, std::span<const Token> tokens, bool is_last) const;

 private:
  /// More than the header of a block takes.
  static constexpr std::size_t kMaxHeaderBytes = 1024;

  /// Frequencies of the symbols.
  struct SymbolCounts {
    SymbolCounts(const RunTokens::Counts& counts, int sample_bytes);
    void add_match(std::uint32_t length, std::uint32_t times);
    void add_repeat(std::uint32_t distance, std::uint32_t length, std::uint32_t times);

    std::array<std::uint32_t, kLiteralSymbols> literals{};
    std::array<std::uint32_t, kDistanceSymbols> distances{};
    std::uint64_t extra_bits = 0;
  };

  TokenCode(const SymbolCounts& counts, int sample_bytes);
  template <int bytes>
  void write_tokens(BitWriter& writer, std::span<const Token> tokens) const;

  int sample_bytes_;
  PrefixCode<kLiteralSymbols> literals_;
  PrefixCode<kDistanceSymbols> distances_;
  std::uint64_t bits_;
  // Codes of the parts of tokens:
  std::array<Bits, Token::kMaxZeros + 1> zeros_;
  std::array<Bits, kMaxMatch + 1> lengths_;  // of copies, whose distances follow
  std::array<Bits, kMaxMatch + 1> rests_;
};

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

/// Begins a block with codes of its own (RFC 1951, 3.2.7): the lengths of both codes, without the zeros at
/// their ends, in a code of their own.
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

}  // namespace

void TokenCode::SymbolCounts::add_match(std::uint32_t length, std::uint32_t times) {
  const Symbol symbol = length_symbol(length);
  literals[symbol.number] += times;
  extra_bits += std::uint64_t{times} * static_cast<unsigned>(symbol.bits);
}

void TokenCode::SymbolCounts::add_repeat(std::uint32_t distance, std::uint32_t length, std::uint32_t times) {
  add_match(length, times);
  distances[distance_symbol(distance).number] += times;
}

TokenCode::SymbolCounts::SymbolCounts(const RunTokens::Counts& counts, int sample_bytes)
    : distances(counts.distances) {
  const auto left = static_cast<std::uint32_t>(sample_bytes);
  std::copy(counts.literals.begin(), counts.literals.end(), literals.begin());
  literals[kEndOfBlock] = 1;
  for (std::uint32_t zeros = 1; zeros <= kMinMatch; ++zeros) literals[0] += zeros * counts.zeros[zeros];
  for (std::uint32_t zeros = kMinMatch + 1; zeros <= Token::kMaxZeros; ++zeros) {
    literals[0] += counts.zeros[zeros];
    add_repeat(1, zeros - 1, counts.zeros[zeros]);
  }
  for (std::uint32_t length = kMinMatch; length <= kMaxMatch; ++length) {
    add_match(length, counts.copies[length]);
    add_repeat(left, length, counts.rests[length]);
  }
  for (std::uint32_t length = kMaxMatch + 1; length <= Token::kMaxRest; ++length) {
    for (const std::uint32_t part : {kShorterMatch, length - kShorterMatch}) {
      add_match(part, counts.copies[length]);
      add_repeat(left, part, counts.rests[length]);
    }
  }
  for (std::size_t symbol = 0; symbol < kDistanceSymbols; ++symbol)
    extra_bits += std::uint64_t{distances[symbol]} * static_cast<unsigned>(distance_bits(symbol));
  make_complete(distances);
}

TokenCode::TokenCode(const SymbolCounts& counts, int sample_bytes)
    : sample_bytes_(sample_bytes),
      literals_(counts.literals, kMaxCodeLength),
      distances_(counts.distances, kMaxCodeLength),
      bits_(counts.extra_bits + literals_.bits(counts.literals) + distances_.bits(counts.distances)) {
  const auto left = static_cast<std::uint32_t>(sample_bytes);
  for (std::uint32_t length = kMinMatch; length <= kMaxMatch; ++length) {
    literals_.add_to(lengths_[length], length_symbol(length));
    rests_[length] = lengths_[length];
    distances_.add_to(rests_[length], distance_symbol(left));
  }
  for (std::uint32_t count = 1; count <= Token::kMaxZeros; ++count) {
    Bits& zeros = zeros_[count];
    const std::uint32_t match = count > kMinMatch ? count - 1 : 0;
    for (std::uint32_t i = match; i < count; ++i) literals_.add_to(zeros, {});
    if (match == 0) continue;
    zeros.add(lengths_[match].bits, lengths_[match].count);
    distances_.add_to(zeros, distance_symbol(1));
  }
}

void TokenCode::write_block(BitWriter& writer, std::span<const Token> tokens, bool is_last) const {
  write_block_header(writer, is_last, {literals_.lengths.data(), literals_.used()},
                     {distances_.lengths.data(), distances_.used()});
  switch (sample_bytes_) {
    case 1:
      write_tokens<1>(writer, tokens);
      break;
    case 2:
      write_tokens<2>(writer, tokens);
      break;
    default:
      write_tokens<4>(writer, tokens);
  }
  writer.put(literals_.codes[kEndOfBlock], literals_.lengths[kEndOfBlock]);
}

template <int bytes>
void TokenCode::write_tokens(BitWriter& out, std::span<const Token> tokens) const {
  BitWriter writer = out;  // stays in registers: as far as compilers know, its bytes could lie in `out`
  const auto put = [&](const Bits& bits) { writer.put(bits.bits, bits.count); };
  const auto put_in_two = [](std::uint32_t length, auto put_match) {
    if (length <= kMaxMatch) return put_match(length);
    put_match(kShorterMatch);
    put_match(length - kShorterMatch);
  };
  for (const Token& token : tokens) {
    put(zeros_[token.zeros]);
    if (token.length != 0) {
      Bits distance;
      distances_.add_to(distance, distance_symbol(token.distance));
      const auto put_copy = [&](std::uint32_t length) {
        Bits copy = lengths_[length];
        copy.add(distance.bits, distance.count);
        put(copy);
      };
      for (std::uint32_t i = 0; i < token.times; ++i) put_copy(kMaxMatch);
      put_in_two(token.length, put_copy);
      put(rests_[token.rest]);
      continue;
    }
    Bits sample[2];  // up to two bytes each
    for (int i = 0; i < bytes; ++i) literals_.add_to(sample[i / 2], {token.sample >> 8 * i & 0xff});
    put(sample[0]);
    if (bytes > 2) put(sample[1]);
    if (token.rest > 0 && token.rest < kMinMatch) {
      Bits again;
      for (int i = 0; i < token.rest; ++i) literals_.add_to(again, {token.sample >> 8 * (i % bytes) & 0xff});
      put(again);
      continue;
    }
    for (std::uint32_t i = 0; i < token.times; ++i) put(rests_[kMaxMatch]);
    put_in_two(token.rest, [&](std::uint32_t length) { put(rests_[length]); });
  }
  out = writer;
}

bool RunDeflater::pays(std::size_t runs, std::int64_t rows) const {
  return static_cast<std::int64_t>(runs) * kSamplesARun * row_.sample_bytes < rows * row_.width;
}

std::span<const std::byte> RunDeflater::stream() {
  tokens_.find();
  constexpr std::size_t kChecksumBytes = 4;
  const std::size_t end = write_block(2, true, kChecksumBytes);
  out_[0] = std::byte{0x78};  // Deflate, a window of 32 KiB
  out_[1] = std::byte{0x01};  // fastest
  for (std::size_t i = 0; i < kChecksumBytes; ++i)
    out_[end + i] = static_cast<std::byte>(checksum().value() >> (24 - 8 * i) & 0xff);
  return {out_.data(), end + kChecksumBytes};
}

std::span<std::byte> RunDeflater::blocks_between(std::size_t before, std::size_t after) {
  tokens_.find();
  const std::size_t end = write_block(before, false, after);
  return {out_.data(), end + after};
}

/// Writes what the tokens say as one block from byte `at` of out_ on, with room for `after` bytes after it.
/// Returns its end.
std::size_t RunDeflater::write_block(std::size_t at, bool is_last, std::size_t after) {
  constexpr std::size_t kStoredBlock = 6;  // bytes that the empty one takes at most
  const TokenCode code(tokens_.counts(), row_.sample_bytes);
  const std::size_t most = at + code.most_bytes() + kStoredBlock + after + BitWriter::kSlack;
  if (out_.size() < most) out_.resize(most);
  BitWriter writer(out_.data() + at);
  code.write_block(writer, tokens_.tokens(), is_last);
  if (!is_last) {  // an empty stored block ends on a byte (RFC 1951, 3.2.4)
    writer.put(0, 3);
    writer.align();
    writer.put(0xffff0000, 32);
  }
  writer.align();
  return at + writer.bytes();
}

constexpr std::byte kLastBlock[] = {std::byte{0x03}, std::byte{0x00}};  // it is empty

static void add_little_endian(std::uint64_t value, std::size_t bytes, std::vector<std::byte>& out) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i & 0xff));
}

std::vector<std::byte> zlib_begin() { return {std::byte{0x78}, std::byte{0x01}}; }  // 32 KiB, fastest

std::vector<std::byte> zlib_end(const Adler32& checksum) {
  std::vector<std::byte> end(std::begin(kLastBlock), std::end(kLastBlock));
  for (int shift = 24; shift >= 0; shift -= 8)
    end.push_back(static_cast<std::byte>(checksum.value() >> shift & 0xff));
  return end;
}

std::vector<std::byte> gzip_begin(std::span<const std::byte> head) {
  std::vector<std::byte> begin;
  add_little_endian(0x00088b1f, 4, begin);      // Deflate; no name follows
  add_little_endian(0xff0000000000, 6, begin);  // no time, of no system
  if (head.empty()) return begin;
  add_little_endian(0, 1, begin);  // a block of bytes as they are, not the last
  add_little_endian(head.size(), 2, begin);
  add_little_endian(~head.size() & 0xffff, 2, begin);
  begin.insert(begin.end(), head.begin(), head.end());
  return begin;
}

std::vector<std::byte> gzip_end(std::uint32_t checksum, std::uint64_t bytes) {
  std::vector<std::byte> end(std::begin(kLastBlock), std::end(kLastBlock));
  add_little_endian(checksum, 4, end);
  add_little_endian(bytes & 0xffffffffu, 4, end);
  return end;
}

}  // namespace gpuccl::io
