#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/deflate/deflate_symbols.hpp"
#include "io/deflate/run_tokens.hpp"

namespace gpuccl::io {

/// Compresses rows of labels into Deflate (RFC 1951) from their runs. The time depends on the number of runs,
/// not of samples; the bytes depend only on the rows.
class RunDeflater {
 public:
  explicit RunDeflater(const SampleRow& row) : row_(row), tokens_(row) {}

  /// Returns whether this is faster and smaller than compressing the samples of the rows. Depends only on
  /// these two numbers, so every process gets the same answer.
  bool pays(std::size_t runs, std::int64_t rows) const;

  /// Returns the memory for a strip of `runs` runs, including their list.
  static std::int64_t bytes_of(std::int64_t runs) {
    constexpr std::int64_t kStream = 12;
    return runs * (std::int64_t{sizeof(LabelRun)} + RunTokens::bytes_of_run() + kStream);
  }

  /// Returns an upper bound of the runs in `rows` rows for which pays() is true.
  static std::int64_t most_that_pay(const SampleRow& row, std::int64_t rows) {
    return rows * row.width / (kSamplesARun * row.sample_bytes);
  }

  /// Begins another strip.
  void clear() { tokens_.clear(); }
  void add(const LabelRuns& rows) { tokens_.add(rows); }
  std::size_t runs() const { return tokens_.runs(); }

  /// Returns the rows as a zlib stream (RFC 1950). It and blocks() are valid until the next call.
  std::span<const std::byte> stream();

  /// Returns the rows as blocks of a longer stream; they end on a byte. checksum() is that of the samples in
  /// them.
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

/// Return the header of a zlib stream (RFC 1950); an empty last block, and the checksum of all samples.
std::vector<std::byte> zlib_begin();
std::vector<std::byte> zlib_end(const Adler32& checksum);

/// Returns the header of a gzip file (RFC 1952) and `head` (less than 64 KiB) as an uncompressed block.
std::vector<std::byte> gzip_begin(std::span<const std::byte> head);
/// Returns an empty last block, and the checksum and the number of all bytes in the blocks.
std::vector<std::byte> gzip_end(std::uint32_t checksum, std::uint64_t bytes);

}  // namespace gpuccl::io
