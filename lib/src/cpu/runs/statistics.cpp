#include "cpu/runs/statistics.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace gpuccl::cpu {
namespace {

/// What is known of some runs of one component.
struct Measure {
  static constexpr int kFar = std::numeric_limits<int>::max();

  std::uint64_t area = 0;
  Box box{{kFar, kFar, kFar}, {-1, -1, -1}};
  std::array<std::uint64_t, 3> sum{};

  void add(const Measure& other) {
    area += other.area;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.min[axis] = std::min(box.min[axis], other.box.min[axis]);
      box.max[axis] = std::max(box.max[axis], other.box.max[axis]);
      sum[axis] += other.sum[axis];
    }
  }
};

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

/// Measures one strip. A component whose root lies in the strip is added up in its place among all
/// components; those that come from strips before are kept apart, because another task adds to their place.
class StripMeasurer {
 public:
  using Shared = std::unordered_map<Label, Measure>;

  StripMeasurer(const RunLabels& labels, Label labels_before, Components& components)
      : labels_(labels), labels_before_(labels_before), components_(components) {}

  Shared measure_rows(Strip strip) {
    const Bundles& bundles = labels_.bundles();
    const Extent extent = bundles.image().extent;
    for (Bundles::Place at = bundles.at(strip.begin); at.bundle < strip.end; bundles.next(at)) {
      const int first_y = at.y * bundles.height();
      for (int z = bundles.first_slice(at.layer); z < bundles.first_slice(at.layer + 1); ++z)
        for (int y = first_y; y < std::min(first_y + bundles.height(), extent.height); ++y) measure_row(y, z);
    }
    return std::move(shared_);
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
    std::array<std::uint64_t, 3>& sum = components_.sum[i];
    sum[0] += part.sum_x;
    sum[1] += sum_y;
    sum[2] += sum_z;
  }

  Measure& shared(Label label) {
    if (label != last_shared_) {
      last_shared_ = label;
      last_measure_ = &shared_[label];
    }
    return *last_measure_;
  }

  const RunLabels& labels_;
  Label labels_before_;
  Components& components_;
  Shared shared_;
  Label last_shared_ = 0;
  Measure* last_measure_ = nullptr;  // stays where it is when the map grows
};

}  // namespace

Components measure(const RunLabels& labels, const std::vector<Strip>& strips,
                   const std::vector<Label>& labels_before) {
  Components components;
  components.area.resize(labels.count());
  components.box.resize(labels.count(), Measure{}.box);
  components.sum.resize(labels.count());

  std::vector<StripMeasurer::Shared> shared(strips.size());
  tbb::parallel_for(std::size_t{0}, strips.size(), [&](std::size_t i) {
    shared[i] = StripMeasurer(labels, labels_before[i], components).measure_rows(strips[i]);
  });
  for (const StripMeasurer::Shared& of_strip : shared)
    for (const auto& [label, part] : of_strip) {
      const std::size_t i = std::size_t{label} - 1;
      Measure whole{components.area[i], components.box[i], components.sum[i]};
      whole.add(part);
      components.area[i] = whole.area;
      components.box[i] = whole.box;
      components.sum[i] = whole.sum;
    }
  return components;
}

}  // namespace gpuccl::cpu
