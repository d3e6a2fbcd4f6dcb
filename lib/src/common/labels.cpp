#include "gpuccl/labels.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include "common/labels_in_memory.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/engine.hpp"

namespace gpuccl {

void Component::add(const Component& other) {
  area += other.area;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.min[axis] = std::min(box.min[axis], other.box.min[axis]);
    box.max[axis] = std::max(box.max[axis], other.box.max[axis]);
    sum[axis] += other.sum[axis];
  }
}

Component Components::operator[](std::size_t i) const {
  Component component{area[i], box[i], {sum[i][0], sum[i][1], sum[i][2]}};
  if (sum_high.empty()) return component;
  if (const auto high = sum_high.find(i); high != sum_high.end())
    for (std::size_t axis = 0; axis < 3; ++axis)
      component.sum[axis] |= CoordinateSum{high->second[axis]} << 64;
  return component;
}

void Components::set(std::size_t i, const Component& component) {
  area[i] = component.area;
  box[i] = component.box;
  std::array<std::uint64_t, 3> high;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sum[i][axis] = static_cast<std::uint64_t>(component.sum[axis]);
    high[axis] = static_cast<std::uint64_t>(component.sum[axis] >> 64);
  }
  if (high != std::array<std::uint64_t, 3>{}) {
    sum_high[i] = high;
  } else if (!sum_high.empty()) {
    sum_high.erase(i);
  }
}

void Components::push_back(const Component& component) {
  const std::size_t i = size();
  area.emplace_back();
  box.emplace_back();
  sum.emplace_back();
  set(i, component);
}

double Components::centroid(std::size_t i, int axis) const {
  const auto along = static_cast<std::size_t>(axis);
  // Sums of two words are rare, so they may be slow.
  const double whole =
      sum_high.empty() ? static_cast<double>(sum[i][along]) : static_cast<double>((*this)[i].sum[along]);
  return whole / static_cast<double>(area[i]);
}

void LabelRows::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  LabelRuns listed;
  list_runs(first_row, rows, listed, map);
  std::visit(
      [&](auto* to) {
        using T = std::remove_pointer_t<decltype(to)>;
        for (std::size_t row = 0; row < listed.ends.size(); ++row, to += extent().width) {
          std::fill_n(to, extent().width, T{0});
          for (const LabelRun& run : listed.row(row))
            std::fill(to + run.begin, to + run.end, static_cast<T>(run.label));
        }
      },
      out);
}

void LabelRows::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const {
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

void render_all(const LabelRows& source, LabelsOut out, const Label* map) {
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

LabelImage render_all(const LabelRows& source) {
  LabelImage image(source.extent(), source.count());
  render_all(source, image.data());
  return image;
}

void join_runs(LabelRuns& rows) {
  std::size_t count = 0, i = 0;
  for (std::size_t& end : rows.ends) {
    const std::size_t first = count;
    for (; i < end; ++i) {
      if (count > first && rows.runs[count - 1].label == rows.runs[i].label) {
        rows.runs[count - 1].end = rows.runs[i].end;
      } else {
        rows.runs[count++] = rows.runs[i];
      }
    }
    end = count;
  }
  rows.runs.resize(count);
}

void list_spans(const LabelRows& labels, std::int64_t first_row, std::int64_t rows, LabelRuns& out) {
  if (const SpanSource* spans = spans_of(labels)) return spans->list_spans(first_row, rows, out);
  labels.list_runs(first_row, rows, out, nullptr);
  join_runs(out);
}

}  // namespace gpuccl
