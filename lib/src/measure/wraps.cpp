#include <algorithm>

#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

/// Wrapping of components across the borders of a periodic image.
class Wraps final : public Group {
 public:
  explicit Wraps(const Labeling& labeling)
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

std::unique_ptr<Group> make_wraps(const Labeling& labeling) {
  if (!wants(labeling, {MeasureId::wraps_x, MeasureId::wraps_y, MeasureId::wraps_z}) ||
      (labeling.request.wraps.empty() && !labeling.request.in_parts))
    return nullptr;
  return std::make_unique<Wraps>(labeling);
}

}  // namespace gpuccl::measuring
