#include "io/deflate/run_deflater.hpp"

#include <algorithm>

#include "io/deflate/block_header.hpp"
#include "io/deflate/deflate_symbols.hpp"
#include "io/deflate/prefix_code.hpp"

namespace gpuccl::io {
namespace {

/// Where the runs are shorter than this many samples on average, for each byte of a sample, libdeflate finds
/// more in them.
constexpr std::int64_t kSamplesARun = 3;

}  // namespace

bool RunDeflater::pays(std::size_t runs, std::int64_t rows) const {
  return static_cast<std::int64_t>(runs) * kSamplesARun * row_.sample_bytes < rows * row_.width;
}

std::span<const std::byte> RunDeflater::stream(const LabelRuns& rows) {
  tokens_.find(rows);
  const std::size_t end = write_block(2, true);
  out_[0] = std::byte{0x78};  // Deflate, a window of 32 KiB
  out_[1] = std::byte{0x01};  // fastest
  for (std::size_t i = 0; i < 4; ++i)
    out_[end + i] = static_cast<std::byte>(checksum().value() >> (24 - 8 * i) & 0xff);
  return {out_.data(), end + 4};
}

std::span<const std::byte> RunDeflater::blocks(const LabelRuns& rows) {
  tokens_.find(rows);
  const std::size_t end = write_block(0, false);
  return {out_.data(), end};
}

/// Writes what the tokens say as one block from byte `at` of out_ on, with room for four bytes behind it.
/// Returns its end.
std::size_t RunDeflater::write_block(std::size_t at, bool is_last) {
  const Slot left = distance_slot(row_.sample_bytes), above = distance_slot(std::min(row_.bytes(), kWindow));
  std::array<std::uint32_t, kDistanceSymbols> distances{};
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::copy(tokens_.literals().begin(), tokens_.literals().end(), literals.begin());
  literals[kEndOfBlock] = 1;
  for (std::uint32_t length = kMinMatch; length <= kMaxMatch; ++length) {
    literals[length_slot(length).symbol] +=
        tokens_.matches()[length] + tokens_.matches()[RunTokens::kAbove | length];
    distances[left.symbol] += tokens_.matches()[length];
    distances[above.symbol] += tokens_.matches()[RunTokens::kAbove | length];
  }
  make_complete(distances);
  const PrefixCode<kLiteralSymbols> literal_code(literals, 15);
  const PrefixCode<kDistanceSymbols> distance_code(distances, 15);

  // What stands for a byte, and for a match by its length and RunTokens::kAbove; nothing for a match of no
  // length.
  std::array<Bits, 256> bytes;
  std::array<Bits, RunTokens::kAbove + kMaxMatch + 1> matches;
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    literal_code.add_to(bytes[byte], {byte, 0, 0});
    bits += std::uint64_t{tokens_.literals()[byte]} * static_cast<std::uint64_t>(bytes[byte].count);
  }
  for (std::uint32_t length = kMinMatch; length <= kMaxMatch; ++length) {
    for (const std::uint32_t from : {0u, RunTokens::kAbove}) {
      Bits& match = matches[from | length];
      literal_code.add_to(match, length_slot(length));
      distance_code.add_to(match, from == 0 ? left : above);
      bits += std::uint64_t{tokens_.matches()[from | length]} * static_cast<std::uint64_t>(match.count);
    }
  }

  constexpr std::size_t kEndBytes = 8;
  const std::size_t most = at + kMostHeaderBytes + bits / 8 + kEndBytes + BitWriter::kSlack;
  if (out_.size() < most) out_.resize(most);
  BitWriter writer(out_.data() + at);
  write_block_header(writer, is_last, {literal_code.lengths.data(), literal_code.used()},
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
  for (const RunTokens::Token& token : tokens_.tokens()) {
    if ((token.match & RunTokens::kFilter) != 0) {
      writer.put(of_bytes[0].bits, of_bytes[0].count);
      continue;
    }
    const bool has_sample = (token.match & RunTokens::kHasSample) != 0;
    for (int i = 0; i < bytes; ++i) {
      const Bits byte = of_bytes[token.sample >> 8 * i & 0xff];
      writer.put(has_sample ? byte.bits : 0, has_sample ? byte.count : 0);
    }
    const Bits match = of_matches[token.match & ~RunTokens::kHasSample];
    for (std::uint32_t i = 0; i < token.times; ++i) writer.put(match.bits, match.count);
  }
}

}  // namespace gpuccl::io
