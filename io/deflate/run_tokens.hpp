#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/labels.hpp"
#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {

/// Layout of the samples of a row of labels in a file.
struct SampleRow {
  int width = 0;         // samples
  int sample_bytes = 1;  // 1, 2 or 4
  bool png = false;  // a filter byte 0 before each row and the high byte of a sample first, else the low one

  std::int64_t bytes() const { return static_cast<std::int64_t>(width) * sample_bytes + (png ? 1 : 0); }

  /// The bytes of a sample in the order of the file, the first one lowest.
  std::uint32_t stored(Label label) const {
    return png && sample_bytes == 2 ? (label >> 8 & 0xff) | (label & 0xff) << 8 : label;
  }
};

/// One run, or several, and the zeros before them: zeros, then a sample or a copy of earlier bytes, then what
/// repeats the last sample.
struct Token {
  std::uint32_t sample = 0;
  std::uint32_t times = 0;  // matches of kMaxMatch bytes: of the copy if there is one, else with the sample
  std::uint16_t zeros = 0;  // at most kMaxZeros: a literal and a match with it
  std::uint16_t distance = 0;  // of the copy
  std::uint16_t length = 0;    // bytes of the copy after `times`, at most kMaxRest; 0: a sample instead
  std::uint16_t rest = 0;      // bytes in addition to `times` that repeat the last sample, at most kMaxRest

  static constexpr std::uint32_t kMaxZeros = kMaxMatch + 1;
  /// Up to here nothing less than kMinMatch is left after matches of kMaxMatch.
  static constexpr std::uint32_t kMaxRest = kMaxMatch + kMinMatch - 1;
};

/// Rows of labels as tokens. The rows are one stream of bytes, in which runs stand between zeros. A run is
/// copied from one to its left or from one in the row above that has the same label, with the zeros before it
/// and the runs after it as far as these are the same. Nothing else is searched for, so the time is that of
/// the runs, not of the samples.
class RunTokens {
 public:
  /// Frequencies of the parts of tokens.
  struct Counts {
    std::array<std::uint32_t, 256> literals{};  // bytes of samples
    std::array<std::uint32_t, Token::kMaxZeros + 1> zeros{};
    std::array<std::uint32_t, Token::kMaxRest + 1> copies{}, rests{};  // by length
    std::array<std::uint32_t, kDistanceSymbols> distances{};           // of copies
  };

  explicit RunTokens(const SampleRow& row);

  /// Bytes that may be held for each run of a strip, while tokens are moved to where there is room for more.
  static constexpr std::int64_t bytes_of_run() { return sizeof(Run) + std::int64_t{2} * 2 * sizeof(Token); }

  void clear();
  /// Takes more rows.
  void add(const LabelRuns& rows);
  std::size_t runs() const { return run_count_; }
  /// Finds the tokens of all rows.
  void find();

  std::span<const Token> tokens() const { return {tokens_.data(), token_count_}; }
  const Counts& counts() const { return counts_; }
  /// Returns the checksum of the bytes that the tokens represent.
  const Adler32& checksum() const { return checksum_; }

 private:
  /// Bytes [begin, end) of the stream, all of one sample.
  struct Run {
    std::int64_t begin = 0, end = 0;
    std::uint32_t sample = 0;
  };
  template <int bytes>
  void add_rows(const LabelRuns& rows);
  template <int bytes>
  void find_tokens();
  template <int bytes>
  void add_sample(std::int64_t zeros, std::uint32_t sample, std::int64_t count);
  template <int bytes>
  const Run* add_copy(const Run* there, const Run* here, const Run* end, std::int64_t gap);

  SampleRow row_;
  std::int64_t bytes_ = 0;  // of all rows
  UninitializedVector<Run>
      runs_;  // from kFirstRun on; those before are empty, and no copies are made of them
  std::size_t run_count_ = 0;
  UninitializedVector<Token> tokens_;
  std::size_t token_count_ = 0;
  Counts counts_;
  Adler32 checksum_;
};

}  // namespace gpuccl::io
