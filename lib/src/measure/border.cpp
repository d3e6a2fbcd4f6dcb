#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Derives the touched sides of the image from the bounding box.
class Border final : public Group {
 public:
  explicit Border(const Labeling& labeling)
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

}  // namespace

std::unique_ptr<Group> make_border(const Labeling& labeling) {
  if (!wants(labeling, {border_sides, border_x0, border_x1, border_y0, border_y1, border_z0, border_z1}))
    return nullptr;
  return std::make_unique<Border>(labeling);
}

}  // namespace gpuccl::measuring
