#include <cmath>
#include <numbers>

#include "measure/arithmetic.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Copies area, bounding box and centroid, which are always computed.
class Basic final : public Group {
 public:
  explicit Basic(const MeasureContext& labeling)
      : is_volume_(labeling.is_volume()),
        is_deep_(is_volume_ || labeling.extent.depth > 1),
        spacing_(labeling.request.spacing) {}

  void derive(const Sums& sums, MeasureValues& values) const override {
    const Component& component = sums.component;
    const auto area = static_cast<double>(component.area);
    values[MeasureId::area] = area;
    values[x0] = component.box.min[0];
    values[y0] = component.box.min[1];
    values[x1] = component.box.max[0];
    values[y1] = component.box.max[1];
    values[cx] = centroid(component, 0);
    values[cy] = centroid(component, 1);
    values[z0] = component.box.min[2];
    values[z1] = component.box.max[2];
    values[cz] = centroid(component, 2);

    const auto length = [&](std::size_t axis) {
      return component.box.max[axis] - static_cast<double>(component.box.min[axis]) + 1;
    };
    values[width] = length(0);
    values[height] = length(1);
    values[depth] = length(2);
    values[extent] = area / (length(0) * length(1) * length(2));
    values[equivalent_diameter_area] = diameter(area);

    if (spacing_[0] == 0) return;
    const double face = spacing_[0] * spacing_[1], element = face * spacing_[2];
    if (!is_deep_ || spacing_[2] > 0) values[area_physical] = area * (is_deep_ ? element : face);
    values[equivalent_diameter_area_physical] = diameter(area * (is_volume_ ? element : face));
  }

 private:
  static double centroid(const Component& component, std::size_t axis) {
    return static_cast<double>(component.sum[axis]) / static_cast<double>(component.area);
  }
  double diameter(double size) const {
    using std::numbers::pi;
    return is_volume_ ? cube_root(6 * size / pi) : std::sqrt(4 * size / pi);
  }

  bool is_volume_;
  bool is_deep_;  // also for volumes whose slices are labeled separately
  std::array<double, 3> spacing_;
};

}  // namespace

std::unique_ptr<Group> make_basic(const MeasureContext& labeling) {
  return std::make_unique<Basic>(labeling);
}

}  // namespace gpuccl::measuring
