#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// Reads a whole label image of up to 32 bits. Its count is the largest label.
inline LabelImage read_labels(const std::string& path, ReadOptions options = {}) {
  options.values.kind = ValueRule::Kind::labels;
  options.palette = PaletteUse::index;
  const std::unique_ptr<Reader> reader = open_reader(path, options);
  const Extent extent = reader->info().extent;
  const ValueImage values = reader->read_values(0, extent.depth, 0);
  LabelImage image(extent, 0);
  std::fill_n(image.data(), extent.elements(), Label{0});
  Label largest = 0;
  for (std::int64_t row = 0; row < extent.rows(); ++row)
    for (const ValueRun& run : values.row(row)) {
      const auto label = static_cast<Label>(run.value);
      std::fill_n(image.data() + row * extent.width + run.begin, run.end - run.begin, label);
      largest = std::max(largest, label);
    }
  image.set_count(largest);
  return image;
}

}  // namespace gpuccl::io
