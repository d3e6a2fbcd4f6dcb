#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/image/label_image.hpp"
#include "io/parts/part_writer.hpp"

namespace gpuccl::io {

/// A label image for tests of writers, which do not care what the labels mean: stretches of equal labels of
/// many lengths, `count` among them, and of background.
inline LabelImage sample_labels(Extent extent, Label count) {
  LabelImage image(extent, count);
  std::uint32_t state = 1;
  const auto draw = [&state] { return (state = state * 1664525 + 1013904223) >> 8; };
  for (std::int64_t i = 0; i < extent.elements();) {
    const Label label = i == 0            ? count
                        : draw() % 2 == 0 ? 0
                                          : static_cast<Label>(draw() % (std::uint64_t{count} + 1));
    const std::int64_t end = std::min<std::int64_t>(extent.elements(), i + 1 + draw() % (1u << draw() % 12));
    std::fill(image.data() + i, image.data() + end, label);
    i = end;
  }
  return image;
}

inline std::vector<Label> values_of(const LabelImage& image) {
  return {image.data(), image.data() + image.extent().elements()};
}

inline void save_labels(const std::string& path, const LabelImage& image, const WriteOptions& options = {},
                        const std::vector<Label>& map = {}, bool commit = true) {
  SharedFile file(path, std::make_unique<AtomicFile>(path));
  const Label count = map.empty() ? image.count() : *std::max_element(map.begin(), map.end());
  SoloLink link;
  write_labels(link, file, *label_format(path), image.extent(), {image, map, count}, options);
  if (commit) file.made()->commit();
}

}  // namespace gpuccl::io
