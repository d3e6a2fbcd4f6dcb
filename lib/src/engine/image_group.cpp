#include "engine/image_group.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "cpu/runs/run_labels.hpp"

namespace gpuccl {
namespace {

constexpr std::int64_t kSmall = std::int64_t{1} << 18;         // elements of an image at most
constexpr std::int64_t kMostTogether = std::int64_t{1} << 21;  // of a group

/// Rows from the first of an image to the first of the next.
int rows_apart(const Extent& extent) { return extent.height / 2 * 2 + 2; }

Extent extent_of(const std::vector<BitView>& images) {
  Extent all{0, 0, 1};
  for (const BitView& image : images) {
    all.width = std::max(all.width, image.extent.width);
    all.height += rows_apart(image.extent);
  }
  return all;
}

}  // namespace

ImageGroup::ImageGroup(const std::vector<BitView>& images) : images_(images), all_(extent_of(images)) {
  int top = 0;
  for (const BitView& image : images) {
    const auto bytes = static_cast<std::size_t>(words_per_row(image.extent.width)) * sizeof(std::uint32_t);
    for (int y = 0; y < image.extent.height; ++y) std::memcpy(all_.row(top + y, 0), image.row(y, 0), bytes);
    tops_.push_back(top);
    top += rows_apart(image.extent);
  }
}

Labeled ImageGroup::part(const Labeled& labeled, std::size_t i) const {
  const Extent extent = images_[i].extent;
  const int top = tops_[i];
  // Labels are in the order of first elements, so those of an image follow each other.
  const Column<Box>& box = labeled.components.box;
  const auto first_from = [&](int row) {
    return std::partition_point(box.begin(), box.end(), [&](const Box& one) { return one.min[1] < row; }) -
           box.begin();
  };
  const auto begin = static_cast<std::size_t>(first_from(top));
  const auto end = static_cast<std::size_t>(first_from(top + extent.height));

  Labeled part;
  part.components.resize(end - begin);
  for (std::size_t c = 0; c < end - begin; ++c) {
    Component one = labeled.components[begin + c];
    one.box.min[1] -= top;
    one.box.max[1] -= top;
    one.sum[1] -= static_cast<std::uint64_t>(top) * one.area;
    part.components.set(c, one);
  }

  part.labels = std::make_unique<cpu::RunLabels>(
      dynamic_cast<const cpu::RunLabels&>(*labeled.labels)
          .part(images_[i], top, static_cast<Label>(begin), static_cast<Label>(end - begin)));

  // Its share of the time.
  const auto images = static_cast<double>(images_.size());
  part.phases = labeled.phases;
  for (PhaseTime& phase : part.phases) phase.milliseconds /= images;
  part.statistics_ms = labeled.statistics_ms / images;
  return part;
}

bool fits_group(const Extent& extent, Connectivity connectivity) {
  return !is_3d(connectivity) && extent.depth == 1 && extent.elements() > 0 && extent.elements() <= kSmall;
}

bool GroupSize::add(const Extent& extent) {
  const std::int64_t rows = rows_ + rows_apart(extent);
  const std::int64_t width = std::max<std::int64_t>(width_, extent.width);
  if (rows_ > 0 && rows * width > kMostTogether) return false;
  rows_ = rows;
  width_ = width;
  return true;
}

}  // namespace gpuccl
