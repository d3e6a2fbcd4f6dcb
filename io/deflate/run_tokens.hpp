#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/deflate/adler32.hpp"
#include "io/deflate/sample_row.hpp"

namespace gpuccl::io {

/// Rows of labels as what Deflate writes: literals and matches (RFC 1951, 3.2.5). Nothing is searched for: a
/// run is a sample and a match with the sample to its left, and where several runs are those of the row
/// above, a match with that row.
class RunTokens {
 public:
  /// What stands beside the length of a match in Token::match.
  static constexpr std::uint32_t kAbove = 512, kHasSample = 1024, kFilter = 2048;

  /// What a row is written as: a sample, or none, and then matches with it or with the row above.
  struct Token {
    std::uint32_t sample;
    std::uint32_t match;  // length, 0 for none, and flags
    std::uint32_t times;  // of the match
  };

  explicit RunTokens(const SampleRow& row) : row_(row) {}

  /// In place of the rows before.
  void find(const LabelRuns& rows);

  const std::vector<Token>& tokens() const { return tokens_; }
  /// How often each literal is used, and each match by its length and kAbove.
  const std::array<std::uint32_t, 256>& literals() const { return literals_; }
  const std::array<std::uint32_t, 771>& matches() const { return matches_; }
  /// Of all that the tokens stand for.
  const Adler32& checksum() const { return checksum_; }

 private:
  /// Samples of one value, 0 among them, that begin where the ones before end.
  struct Stretch {
    int end;
    std::uint32_t sample;
  };

  template <int bytes>
  void find_tokens(const LabelRuns& rows);
  template <int bytes>
  void add_row(const std::vector<Stretch>& row, const std::vector<Stretch>* above);
  template <int bytes>
  void cut_row(const LabelRun* run, const LabelRun* end, std::vector<Stretch>& row);
  template <int bytes>
  void add_sample(std::uint32_t sample, std::uint32_t match_bytes);
  template <int bytes>
  void add_match(std::uint32_t from, std::uint32_t sample, std::int64_t match_bytes);

  SampleRow row_;
  std::vector<Token> tokens_;
  std::vector<Stretch> rows_[2];
  std::array<std::uint32_t, 256> literals_{};
  std::array<std::uint32_t, 771> matches_{};
  Adler32 checksum_;
};

}  // namespace gpuccl::io
