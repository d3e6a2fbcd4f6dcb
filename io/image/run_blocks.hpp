#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/deflate/run_deflater.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// One strip of labels as Deflate blocks, made from its runs. Kept and reused, its buffers are.
struct RunBlocks {
  std::optional<RunDeflater> deflater;
  LabelRuns runs;
  std::span<const std::byte> blocks;

  void make(const MappedLabels& labels, const StripLayout& strips, std::int64_t strip, const SampleRow& row) {
    if (!deflater) deflater.emplace(row);
    list_runs(labels, strips.first_row(strip), strips.rows(strip), runs);
    deflater->clear();
    deflater->add(runs);
    blocks = deflater->blocks();
  }
};

}  // namespace gpuccl::io
