#include <algorithm>

#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Derives the touched sides of the image from the bounding box.
class Border final : public Group {
 public:
  explicit Border(const MeasureContext& labeling)
      : axes_(labeling.is_volume() ? 3 : 2),
        size_{labeling.extent.width, labeling.extent.height, labeling.extent.depth} {}

  void derive(const Sums& sums, MeasureValues& values) const override {
    static constexpr MeasureId kSides[3][2] = {
        {border_x0, border_x1}, {border_y0, border_y1}, {border_z0, border_z1}};
    double count = 0;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const bool first = sums.component.box.min[axis] == 0;
      const bool last = sums.component.box.max[axis] == size_[axis] - 1;
      values[kSides[axis][0]] = first;
      values[kSides[axis][1]] = last;
      count += first + last;
    }
    values[border_sides] = count;
  }

 private:
  std::size_t axes_;
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
    values[MeasureId::wraps_x] = static_cast<double>(wraps[0]);
    values[MeasureId::wraps_y] = static_cast<double>(wraps[1]);
    values[MeasureId::wraps_z] = static_cast<double>(wraps[2]);
  }

 private:
  std::vector<std::array<Wrap, 3>> wraps_;
};

}  // namespace

std::unique_ptr<Group> make_border(const MeasureContext& labeling) {
  if (!wants(labeling, {{border_sides, border_z1}})) return nullptr;
  return std::make_unique<Border>(labeling);
}

std::unique_ptr<Group> make_wraps(const MeasureContext& labeling) {
  if (!wants(labeling, {{MeasureId::wraps_x, MeasureId::wraps_z}}) ||
      (labeling.request.wraps.empty() && !labeling.request.in_parts))
    return nullptr;
  return std::make_unique<Wraps>(labeling);
}

}  // namespace gpuccl::measuring
