#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/copy_labels.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// LabelSource::render of `labels` with two maps, one after the other; the second may be null.
template <class T>
void render_mapped(const LabelSource& labels, std::int64_t first_row, std::int64_t rows, T* out,
                   const Label* map, const Label* second) {
  if (second == nullptr) return labels.render(first_row, rows, out, map);
  const std::int64_t elements = rows * labels.extent().width;
  std::vector<Label> drawn(static_cast<std::size_t>(elements));
  labels.render(first_row, rows, drawn.data(), map);
  copy_labels(drawn.data(), elements, out, second);
}

}  // namespace gpuccl
