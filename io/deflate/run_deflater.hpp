#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/deflate/adler32.hpp"
#include "io/deflate/bit_writer.hpp"

namespace gpuccl::io {

/// How the samples of a row of labels lie in a file.
struct SampleRow {
  int width = 0;         // samples
  int sample_bytes = 1;  // 1, 2 or 4
  bool png = false;  // a filter byte 0 before each row and the high byte of a sample first, else the low one

  std::int64_t bytes() const { return static_cast<std::int64_t>(width) * sample_bytes + (png ? 1 : 0); }
};

/// Compresses rows of labels into Deflate (RFC 1951) from their runs. Nothing is searched for: a run is a
/// sample and a match with the sample to its left, and where several runs are those of the row above, a match
/// with that row. The time is that of the runs, not of the samples, and the bytes depend on the rows alone.
class RunDeflater {
 public:
  explicit RunDeflater(const SampleRow& row) : row_(row) {}

  /// Whether so many rows have so few runs that this is faster and smaller than to search among the samples.
  /// Of the number of runs alone, so that it is the same wherever it is asked.
  bool pays(std::size_t runs, std::int64_t rows) const;

  /// The rows as a zlib stream (RFC 1950). Valid until the next call, as is what blocks() returns.
  std::span<const std::byte> stream(const LabelRuns& rows);

  /// The rows as blocks of a stream that goes on after them: they end on a byte. What they are made of has
  /// the checksum checksum().
  std::span<const std::byte> blocks(const LabelRuns& rows);
  const Adler32& checksum() const { return checksum_; }

 private:
  /// What a row is written as: a sample, or none, and then matches with it or with the row above.
  struct Token {
    std::uint32_t sample;
    std::uint32_t match;  // length, 0 for none, and flags
    std::uint32_t times;  // of the match
  };
  /// Samples of one value, 0 among them, that begin where the ones before end.
  struct Stretch {
    int end;
    std::uint32_t sample;
  };

  void tokenize(const LabelRuns& rows);
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
  std::size_t write_block(std::size_t at, bool is_last);
  template <int bytes>
  void write_tokens(BitWriter& writer, std::span<const Bits> of_bytes,
                    std::span<const Bits> of_matches) const;

  SampleRow row_;
  std::vector<Token> tokens_;
  std::vector<Stretch> rows_[2];
  std::array<std::uint32_t, 256> literals_{};  // how often each is used
  std::array<std::uint32_t, 771> matches_{};   // by length and flag
  Adler32 checksum_;
  std::vector<std::byte> out_;
};

}  // namespace gpuccl::io
