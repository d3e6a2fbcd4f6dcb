#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

/// How components of a periodic image go across its borders.
class Wraps final : public Group {
 public:
  explicit Wraps(std::span<const std::array<Wrap, 3>> wraps) : wraps_(wraps.begin(), wraps.end()) {}

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

std::unique_ptr<Group> make_wraps(const Labeling& labeling) {
  if (!wants(labeling, {MeasureId::wraps_x, MeasureId::wraps_y, MeasureId::wraps_z}) ||
      labeling.request.wraps.empty())
    return nullptr;
  return std::make_unique<Wraps>(labeling.request.wraps);
}

}  // namespace gpuccl::measuring
