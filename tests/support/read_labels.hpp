#pragma once

#include <string>

#include "gpuccl/labels.hpp"
#include "io/read/label_reader.hpp"

namespace gpuccl::io {

/// Reads a whole label image. Its count is the largest label.
inline LabelImage read_labels(const std::string& path, ReadOptions options = {}) {
  const LabelReader reader(path, std::move(options));
  LabelImage image = render_all(reader);
  image.set_count(reader.count());
  return image;
}

}  // namespace gpuccl::io
