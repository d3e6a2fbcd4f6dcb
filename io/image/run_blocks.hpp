#pragma once

#include <cstdint>

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

}  // namespace gpuccl::io
