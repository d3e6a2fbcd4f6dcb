#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/deflate/deflate_symbols.hpp"
#include "io/deflate/run_tokens.hpp"

namespace gpuccl::io {

/// Compresses rows of labels into Deflate (RFC 1951) from their runs. The time is that of the runs, not of
/// the samples, and the bytes depend on the rows alone.
class RunDeflater {
 public:
  explicit RunDeflater(const SampleRow& row) : row_(row), tokens_(row) {}

  /// Whether so many rows have so few runs that this is faster and smaller than to search among the samples.
  /// Of the number of runs alone, so that it is the same wherever it is asked.
  bool pays(std::size_t runs, std::int64_t rows) const;

  /// Bytes that a strip of so many runs takes, its list of them included.
  static std::int64_t bytes_of(std::int64_t runs) {
    constexpr std::int64_t kStream = 12;
    return runs * (std::int64_t{sizeof(LabelRun)} + RunTokens::bytes_of_run() + kStream);
  }

  /// More runs than these in so many rows do not pay.
  static std::int64_t most_that_pay(const SampleRow& row, std::int64_t rows) {
    return rows * row.width / (kSamplesARun * row.sample_bytes);
  }

  /// Begins another strip.
  void clear() { tokens_.clear(); }
  void add(const LabelRuns& rows) { tokens_.add(rows); }
  std::size_t runs() const { return tokens_.runs(); }

  /// The rows as a zlib stream (RFC 1950). Valid until the next call, as is what blocks() returns.
  std::span<const std::byte> stream();

  /// The rows as blocks of a stream that goes on after them: they end on a byte. What they are made of has
  /// the checksum checksum().
  std::span<const std::byte> blocks() { return blocks_between(0, 0); }
  /// Returns the blocks with room for a few bytes before and after them, which the caller fills.
  std::span<std::byte> blocks_between(std::size_t before, std::size_t after);
  const Adler32& checksum() const { return tokens_.checksum(); }

 private:
  /// Average run length, in samples per byte of a sample. If runs are shorter, libdeflate compresses
  /// better.
  static constexpr std::int64_t kSamplesARun = 3;

  std::size_t write_block(std::size_t at, bool is_last, std::size_t after);

  SampleRow row_;
  RunTokens tokens_;
  std::vector<std::byte> out_;
};

// Headers and trailers around Deflate blocks of a stream that is made in parts.

/// Header of a zlib stream (RFC 1950); an empty last block, and the checksum of what all blocks hold.
std::vector<std::byte> zlib_begin();
std::vector<std::byte> zlib_end(const Adler32& checksum);

/// Header of a gzip file (RFC 1952), then `head`, of less than 64 KiB, as a block that is not compressed.
std::vector<std::byte> gzip_begin(std::span<const std::byte> head);
/// An empty last block, the checksum of what all blocks hold, and how long that is.
std::vector<std::byte> gzip_end(std::uint32_t checksum, std::uint64_t bytes);

}  // namespace gpuccl::io
