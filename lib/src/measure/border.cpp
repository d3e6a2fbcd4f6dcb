#include <algorithm>

#include "measure/group.hpp"
#include "measure/shape_formulas.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Derives the touched sides of the image from the bounding box, and whether opposite ones are connected.
/// Requires derived wraps for axes without border.
class Border final : public Group {
 public:
  explicit Border(const MeasureContext& labeling)
      : formulas_{
            labeling.is_volume() ? 3 : 2,
            {labeling.extent.width, labeling.extent.height, labeling.extent.depth},
            {labeling.request.periodic[0], labeling.request.periodic[1], labeling.request.periodic[2]}} {}

  void derive(const Sums& sums, MeasureValues& values) const override {
    static constexpr MeasureId kPercolates[] = {percolates_x, percolates_y, percolates_z},
                               kWraps[] = {wraps_x, wraps_y, wraps_z};
    const Box& box = sums.component.box;
    formulas_.derive(box.min.data(), box.max.data(), values);
    for (int axis = 0; axis < formulas_.axes; ++axis)
      if (formulas_.periodic[axis])
        values[kPercolates[axis]] = values[kWraps[axis]] == static_cast<double>(Wrap::around);
  }

 private:
  BorderFormulas formulas_;
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
      (labeling.request.wraps.empty() && !labeling.in_parts))
    return nullptr;
  return std::make_unique<Wraps>(labeling);
}

}  // namespace gpuccl::measuring
