#include "io/read/label_fingerprint.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "io/image/content_hash.hpp"
#include "io/image/limits.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

std::string fingerprint_of_labels(const std::string& path, const Limits& limits) {
  constexpr std::int64_t kAtOnce = std::int64_t{1} << 22;  // elements
  ReadOptions options;
  options.limits = limits;
  options.limits.memory = memory_limit(limits);
  options.in_parts = true;
  const std::unique_ptr<Reader> reader = open_reader(path, options);
  const Extent extent = reader->info().extent;
  const ValueType type = reader->value_type();
  ContentHash hash;
  const auto add = [&](const ValueImage& image, std::int64_t first_row) {
    for (std::int64_t row = 0; row < image.extent().rows(); ++row)
      hash.add(type, first_row + row, image.row(row));
  };
  const std::int64_t of_slice = std::int64_t{extent.width} * extent.height;
  if (of_slice <= 4 * kAtOnce) {
    const auto step = static_cast<int>(std::max<std::int64_t>(1, kAtOnce / of_slice));
    for (int z = 0; z < extent.depth; z += std::min(step, extent.depth - z))
      add(reader->read_values(z, z + std::min(step, extent.depth - z), 0), std::int64_t{z} * extent.height);
  } else {
    const auto step = static_cast<int>(std::max<std::int64_t>(1, kAtOnce / extent.width));
    for (int z = 0; z < extent.depth; ++z)
      for (int y = 0; y < extent.height; y += std::min(step, extent.height - y))
        add(reader->read_value_rows(z, y, y + std::min(step, extent.height - y), 0),
            std::int64_t{z} * extent.height + y);
  }
  return hash.text(extent);
}

}  // namespace gpuccl::io
