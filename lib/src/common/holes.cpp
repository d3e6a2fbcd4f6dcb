#include <tbb/parallel_for.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "common/draw_others.hpp"
#include "common/spans.hpp"
#include "gpuccl/selection.hpp"

namespace gpuccl {

Holes::Holes(Labeled background, bool per_slice, std::uint64_t max_size)
    : background_(std::move(background.labels)) {
  Selection holes = select(std::move(background.components), background_->extent(), per_slice,
                           {.max_size = max_size, .clear_border = true});
  map_ = std::move(holes.map);
  count_ = holes.components.size();
  elements_ = std::accumulate(holes.components.area.begin(), holes.components.area.end(), std::uint64_t{0});
}

void Holes::draw_filled(std::int64_t first_row, BitVolume& out) const {
  gpuccl::draw_filled(*background_, map_, first_row, out);
}

void draw_filled(const LabelSource& background, const std::vector<Label>& holes, std::int64_t first_row,
                 BitVolume& out) {
  draw_others(background, first_row, out, [&](Label label) { return !holes.empty() && holes[label] == 0; });
}

void draw_background(const LabelSource& labels, std::int64_t first_row, BitVolume& out) {
  if (const SpanSource* spans = spans_of(labels)) {
    const BitView image = spans->bits();
    const auto bytes = static_cast<std::size_t>(words_per_row(image.extent.width)) * sizeof(std::uint32_t);
    tbb::parallel_for(std::int64_t{0}, out.extent().rows(), [&](std::int64_t row) {
      std::memcpy(out.row(row), image.row(first_row + row), bytes);
    });
    return invert(out);
  }
  draw_others(labels, first_row, out, [](Label) { return true; });
}

}  // namespace gpuccl
