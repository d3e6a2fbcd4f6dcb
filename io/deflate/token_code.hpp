#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/deflate/deflate_symbols.hpp"
#include "io/deflate/prefix_code.hpp"
#include "io/deflate/run_tokens.hpp"

namespace gpuccl::io {

/// The codes of a block, made for its tokens, and how these are written in them.
class TokenCode {
 public:
  TokenCode(const RunTokens::Counts& counts, int sample_bytes)
      : TokenCode(SymbolCounts(counts, sample_bytes), sample_bytes) {}

  /// At most so many bytes are written.
  std::size_t most_bytes() const { return kMostHeaderBytes + bits_ / 8 + 1; }
  /// A whole block (RFC 1951, 3.2.3), up to the end-of-block code.
  void write_block(BitWriter& writer, std::span<const Token> tokens, bool is_last) const;

 private:
  /// More than the header of a block takes.
  static constexpr std::size_t kMostHeaderBytes = 1024;

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
  std::array<Bits, Token::kMostZeros + 1> zeros_;
  std::array<Bits, kMaxMatch + 1> lengths_;  // of copies, whose distances follow
  std::array<Bits, kMaxMatch + 1> rests_;
};

}  // namespace gpuccl::io
