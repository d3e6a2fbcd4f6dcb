#include <algorithm>

#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Derives the touched sides of the image from the bounding box, and whether opposite ones are connected.
/// Requires derived wraps for axes without border.
class Border final : public Group {
 public:
  explicit Border(const MeasureContext& labeling)
      : axes_(labeling.is_volume() ? 3 : 2),
        periodic_(labeling.request.periodic),
        size_{labeling.extent.width, labeling.extent.height, labeling.extent.depth} {}

  void derive(const Sums& sums, MeasureValues& values) const override {
    static constexpr MeasureId kSides[3][2] = {
        {border_x0, border_x1}, {border_y0, border_y1}, {border_z0, border_z1}};
    static constexpr MeasureId kPercolates[] = {percolates_x, percolates_y, percolates_z},
                               kWraps[] = {wraps_x, wraps_y, wraps_z};
    double count = 0;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      if (periodic_[axis]) {
        values[kPercolates[axis]] = values[kWraps[axis]] == static_cast<double>(Wrap::around);
        continue;
      }
      const bool first = sums.component.box.min[axis] == 0;
      const bool last = sums.component.box.max[axis] == size_[axis] - 1;
      values[kSides[axis][0]] = first;
      values[kSides[axis][1]] = last;
      values[kPercolates[axis]] = first && last;
      count += first + last;
    }
    values[border_sides] = count;
  }

 private:
  std::size_t axes_;
  PeriodicAxes periodic_;
  std::array<int, 3> size_;
};

/// Wrapping of components across the borders of a periodic image.
class Wraps final : public Group {
 public:
  explicit Wraps(const MeasureContext& labeling)
      : wraps_(labeling.request.wraps.begin(), labeling.request.wraps.end()) {
    wraps_.resize(labeling.components.size());
  }

  bool keeps_state() const override { return true; }
  void save(std::size_t index, std::vector<std::uint64_t>& saved) const override {
    for (const Wrap wrap : wraps_[index]) saved.push_back(static_cast<std::uint64_t>(wrap));
  }
  bool add_saved(std::size_t index, std::span<const std::uint64_t> saved) override {
    for (std::size_t axis = 0; axis < saved.size(); ++axis)
      wraps_[index][axis] = std::max(wraps_[index][axis], static_cast<Wrap>(saved[axis]));
    return true;
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const std::array<Wrap, 3>& wraps = wraps_[sums.index];
    values[wraps_x] = static_cast<double>(wraps[0]);
    values[wraps_y] = static_cast<double>(wraps[1]);
    values[wraps_z] = static_cast<double>(wraps[2]);
  }

 private:
  std::vector<std::array<Wrap, 3>> wraps_;
};

}  // namespace

std::unique_ptr<Group> make_border(const MeasureContext& labeling) {
  if (!wants(labeling, {{border_sides, percolates_z}})) return nullptr;
  return std::make_unique<Border>(labeling);
}

std::unique_ptr<Group> make_wraps(const MeasureContext& labeling) {
  if (!wants(labeling, {{percolates_x, wraps_z}}) || labeling.request.periodic == PeriodicAxes{} ||
      (labeling.request.wraps.empty() && !labeling.request.in_parts))
    return nullptr;
  return std::make_unique<Wraps>(labeling);
}

}  // namespace gpuccl::measuring
