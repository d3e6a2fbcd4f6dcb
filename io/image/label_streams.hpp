#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/deflate/run_deflater.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Makes Deflate blocks of strips from their runs. No strip refers to another and each ends on a byte, so
/// that the blocks of all strips, one after the other, are one stream.
class RunBlocks {
 public:
  RunBlocks(const MappedLabels& labels, const StripLayout& strips, const SampleRow& row)
      : labels_(labels), strips_(strips), deflater_(row) {}

  /// Makes `strip` that of deflater().
  void take(std::int64_t strip) {
    list_runs(labels_, strips_.first_row(strip), strips_.rows(strip), runs_);
    if (labels_.hash != nullptr) labels_.hash->add(strips_.first_row(strip), runs_);
    deflater_.clear();
    deflater_.add(runs_);
  }
  RunDeflater& deflater() { return deflater_; }

 private:
  const MappedLabels labels_;
  const StripLayout& strips_;
  RunDeflater deflater_;
  LabelRuns runs_;
};

// Label images with consecutive samples of options.type (resolved) after a header.

/// The samples as they are.
LabelFile raw_label_file(std::string head, const Extent& extent, const WriteOptions& options);

/// Behind `head` one member of gzip: `first`, of less than 64 KiB, and the samples.
LabelFile gzip_label_file(std::string head, std::span<const std::byte> first, const Extent& extent,
                          const WriteOptions& options);

/// Behind `head` a zlib stream, whose size is written over the zeros that the head has from `size_at` on.
LabelFile zlib_label_file(std::string head, std::size_t size_at, const Extent& extent,
                          const WriteOptions& options);
/// Number of these zeros.
inline constexpr std::size_t kSizeDigits = 20;

/// Bytes that the last two take for each strip that is under way, of rows of at most `runs` runs.
std::int64_t bytes_of_gzip_strip(const StripLayout& strips, std::int64_t runs);
std::int64_t bytes_of_zlib_strip(const StripLayout& strips, std::int64_t runs);

}  // namespace gpuccl::io
