#include "gpuccl/labels.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "common/add_runs.hpp"
#include "common/copy_labels.hpp"
#include "gpuccl/detail/huge_pages.hpp"
#include "gpuccl/engine.hpp"

namespace gpuccl {

void LabelSource::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                            const Label* map) const {
  std::vector<Label> row(static_cast<std::size_t>(extent().width));
  out.runs.clear();
  out.ends.clear();
  for (std::int64_t i = 0; i < rows; ++i) {
    render(first_row + i, 1, row.data(), map);
    add_runs(row.data(), extent().width, out);
  }
}

LabelImage::LabelImage(Extent extent, Label count)
    : extent_(extent),
      count_(count),
      labels_(make_large_for_overwrite<Label>(static_cast<std::size_t>(extent.elements()))) {}

void LabelImage::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  const Label* const from = data() + first_row * extent_.width;
  std::visit([&](auto* to) { copy_labels(from, rows * extent_.width, to, map); }, out);
}

void render_all(const LabelSource& source, LabelsOut out, const Label* map) {
  constexpr std::int64_t kElementsATask = 1 << 18;
  const Extent extent = source.extent();
  const std::int64_t rows = std::max<std::int64_t>(1, kElementsATask / std::max(1, extent.width));
  for (std::int64_t begin = 0, end = 0; begin < extent.rows(); begin = end) {
    end = source.prepare(begin, 1);
    tbb::parallel_for(std::int64_t{0}, (end - begin + rows - 1) / rows, [&](std::int64_t task) {
      const std::int64_t first = begin + task * rows;
      std::visit(
          [&](auto* to) {
            source.render(first, std::min(rows, end - first), to + first * extent.width, map);
          },
          out);
    });
  }
}

LabelImage render_all(const LabelSource& source) {
  LabelImage image(source.extent(), source.count());
  render_all(source, image.data());
  return image;
}

}  // namespace gpuccl
