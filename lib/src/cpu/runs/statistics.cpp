#include "cpu/runs/statistics.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace gpuccl::cpu {
namespace {

/// Runs of one row that follow each other and belong to one component.
struct RowPart {
  Label label = 0;
  int begin = 0, end = 0;
  std::uint64_t area = 0;
  std::uint64_t sum_x = 0;

  void add(int run_begin, int run_end) {
    const std::uint64_t length = static_cast<std::uint64_t>(run_end - run_begin);
    const std::uint64_t ends =
        static_cast<std::uint64_t>(run_begin) + static_cast<std::uint64_t>(run_end) - 1;
    end = run_end;
    area += length;
    sum_x += length * ends / 2;
  }
};

/// What a strip adds to components, beside what it has added in their places.
struct Elsewhere {
  std::unordered_map<Label, Component> shared;               // parts of components of strips before
  std::vector<std::pair<std::size_t, std::size_t>> carries;  // component and axis whose sum passed 2^64
};

/// Measures one strip. A component whose root lies in the strip is added up in its place among all
/// components; those that come from strips before are kept apart, because another task adds to their place.
class StripMeasurer {
 public:
  StripMeasurer(const RunLabels& labels, Label labels_before, Components& components)
      : labels_(labels), labels_before_(labels_before), components_(components) {}

  Elsewhere measure_rows(Strip strip) {
    const Bundles& bundles = labels_.bundles();
    const Extent extent = bundles.image().extent;
    for (Bundles::Place at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
      const int first_y = at.y * bundles.height();
      for (int z = bundles.first_slice(at.layer); z < bundles.first_slice(at.layer + 1); ++z)
        for (int y = first_y; y < std::min(first_y + bundles.height(), extent.height); ++y) measure_row(y, z);
    }
    return std::move(elsewhere_);
  }

 private:
  void measure_row(int y, int z) {
    RowPart part;
    labels_.for_each_labeled_run(y, z, [&](int begin, int end, Label label) {
      if (label != part.label) {
        if (part.label != 0) add(part, y, z);
        part = {label, begin, begin, 0, 0};
      }
      part.add(begin, end);
    });
    if (part.label != 0) add(part, y, z);
  }

  void add(const RowPart& part, int y, int z) {
    const std::uint64_t sum_y = part.area * static_cast<std::uint64_t>(y);
    const std::uint64_t sum_z = part.area * static_cast<std::uint64_t>(z);
    const Box box{{part.begin, y, z}, {part.end - 1, y, z}};
    if (part.label <= labels_before_) {
      shared(part.label).add({part.area, box, {part.sum_x, sum_y, sum_z}});
      return;
    }
    // Rows come in raster order, but for rows of a bundle, which may come one slice early.
    const std::size_t i = std::size_t{part.label} - 1;
    components_.area[i] += part.area;
    Box& all = components_.box[i];
    all.min = {std::min(all.min[0], part.begin), std::min(all.min[1], y), std::min(all.min[2], z)};
    all.max = {std::max(all.max[0], part.end - 1), std::max(all.max[1], y), std::max(all.max[2], z)};
    add(i, 0, part.sum_x);
    add(i, 1, sum_y);
    add(i, 2, sum_z);
  }

  void add(std::size_t i, std::size_t axis, std::uint64_t more) {
    std::uint64_t& sum = components_.sum[i][axis];
    sum += more;
    if (sum < more) [[unlikely]]
      elsewhere_.carries.emplace_back(i, axis);
  }

  Component& shared(Label label) {
    if (label != last_shared_) {
      last_shared_ = label;
      last_component_ = &elsewhere_.shared[label];
    }
    return *last_component_;
  }

  const RunLabels& labels_;
  Label labels_before_;
  Components& components_;
  Elsewhere elsewhere_;
  Label last_shared_ = 0;
  Component* last_component_ = nullptr;  // stays where it is when the map grows
};

}  // namespace

Components measure(const RunLabels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before) {
  Components components;
  components.area.resize(labels.count());
  components.box.resize(labels.count(), Component{}.box);
  components.sum.resize(labels.count());

  std::vector<Elsewhere> elsewhere(strips.size());
  tbb::parallel_for(std::size_t{0}, strips.size(), [&](std::size_t i) {
    elsewhere[i] = StripMeasurer(labels, labels_before[i], components).measure_rows(strips[i]);
  });
  for (const Elsewhere& of_strip : elsewhere) {
    for (const auto& [i, axis] : of_strip.carries) ++components.sum_high[i][axis];
    for (const auto& [label, part] : of_strip.shared) {
      const std::size_t i = std::size_t{label} - 1;
      Component whole = components[i];
      whole.add(part);
      components.set(i, whole);
    }
  }
  return components;
}

}  // namespace gpuccl::cpu
