#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/deflate/run_deflater.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::io {

/// Makes Deflate blocks of strips from their runs. No strip refers to another, and each ends on a byte, so
/// the concatenated blocks of all strips are one stream.
class RunBlocks {
 public:
  RunBlocks(const MappedLabels& labels, const StripLayout& strips, const SampleRow& row)
      : labels_(labels), strips_(strips), deflater_(row) {}

  /// Loads the runs of `strip` into deflater().
  void take(std::int64_t strip) {
    list_runs(labels_, strips_.first_row(strip), strips_.rows(strip), runs_);
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

/// Returns a label image of uncompressed samples.
LabelFile raw_label_file(std::string head, const Extent& extent, const WriteOptions& options);

/// Returns a label image of `head` and one gzip member, of `first` (less than 64 KiB) and the samples.
LabelFile gzip_label_file(std::string head, std::span<const std::byte> first, const Extent& extent,
                          const WriteOptions& options);

/// Returns a label image of `head` and a zlib stream, whose size replaces the zeros at `size_at` in the head.
LabelFile zlib_label_file(std::string head, std::size_t size_at, const Extent& extent,
                          const WriteOptions& options);
/// Number of these zeros.
inline constexpr std::size_t kSizeDigits = 20;

}  // namespace gpuccl::io
