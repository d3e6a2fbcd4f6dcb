#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "common/fastest_code.hpp"
#include "measure/arithmetic.hpp"
#include "measure/directions.hpp"
#include "measure/group.hpp"
#include "measure/neighbors.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;
using std::numbers::pi;

/// Perimeter and surface by Crofton's formula, from the number of intercepts, which are runs, along 4 or 13
/// directions. Along each there are as many as elements, less the pairs of elements that follow each other.
class Crofton final : public Group {
 public:
  explicit Crofton(const Labeling& labeling)
      : connectivity_(connectivity_around(labeling)),
        is_volume_(labeling.is_volume()),
        weights_(crofton_weights(is_volume_, {1, 1, 1})) {
    if (labeling.request.spacing[0] > 0) {
      physical_weights_ = crofton_weights(is_volume_, labeling.request.spacing);
      size_ = labeling.request.spacing[0] * labeling.request.spacing[1];
      if (is_volume_) size_ *= labeling.request.spacing[2];
    }
  }

  std::size_t words() const override {
    return is_volume_ ? std::size(kDirectionsOfVolume) : std::size(kDirectionsOfImage);
  }
  int SumsLayout::*place() const override { return &SumsLayout::crofton; }
  bool looks_around() const override { return true; }

  void add(const LabeledRow& row) override {
    switch (connectivity_) {
      case Connectivity::c4:
        return add_pairs<kDirectionsOfImage, 1>(row);
      case Connectivity::c8:
        return add_pairs<kDirectionsOfImage, 2>(row);
      case Connectivity::c6:
        return add_pairs<kDirectionsOfVolume, 1>(row);
      case Connectivity::c18:
        return add_pairs<kDirectionsOfVolume, 2>(row);
      case Connectivity::c26:
        return add_pairs<kDirectionsOfVolume, 3>(row);
    }
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    const std::uint64_t area = sums.component.area;
    const auto total = [&](const std::vector<double>& weights) {
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        sum += weights[i] * static_cast<double>(area - sums.sums[i]);
      return sum;
    };
    if (!is_volume_) {
      values[perimeter_crofton] = total(weights_);
      values[roundness] = roundness_of(static_cast<double>(area), values[perimeter_crofton]);
    } else {
      values[surface_crofton] = total(weights_);
      values[surface_crofton_3] =
          4.0 / 3 * static_cast<double>(3 * area - sums.sums[0] - sums.sums[1] - sums.sums[2]);
      values[sphericity] = sphericity_of(static_cast<double>(area), values[surface_crofton]);
    }
    if (physical_weights_.empty()) return;
    const double size = static_cast<double>(area) * size_;
    if (!is_volume_) {
      values[perimeter_crofton_physical] = total(physical_weights_);
      values[roundness_physical] = roundness_of(size, values[perimeter_crofton_physical]);
    } else {
      values[surface_crofton_physical] = total(physical_weights_);
      values[sphericity_physical] = sphericity_of(size, values[surface_crofton_physical]);
    }
  }

 private:
  template <const auto& directions, int reach>
  void add_pairs(const LabeledRow& row) const {
    by_fastest_counting([&] {
      for (const Stretch& stretch : row.stretches) {
        std::array<std::uint64_t, std::size(directions)> pairs{};
        stretch.for_each_word([&](int word, Word mask) {
          for_each_direction<directions, reach>(
              row, word, mask, stretch.label, [&](std::size_t i, Word joined) {
                pairs[i] += static_cast<std::uint64_t>(std::popcount(joined));
              });
        });
        for (std::size_t i = 0; i < pairs.size(); ++i) stretch.sums[offset + i] += pairs[i];
      }
    });
  }

  static double roundness_of(double area, double perimeter) { return 2 * std::sqrt(pi * area) / perimeter; }
  static double sphericity_of(double volume, double surface) {
    const double side = cube_root(6 * volume);
    return cube_root(pi) * side * side / surface;
  }

  Connectivity connectivity_;
  bool is_volume_;
  std::vector<double> weights_;
  std::vector<double> physical_weights_;  // empty if the spacing is unknown
  double size_ = 0;                       // of an element
};

}  // namespace

std::unique_ptr<Group> make_crofton(const Labeling& labeling) {
  if (labeling.is_volume()
          ? !wants(labeling, {surface_crofton, surface_crofton_3, sphericity, surface_crofton_physical,
                              sphericity_physical})
          : !wants(labeling, {perimeter_crofton, roundness, perimeter_crofton_physical, roundness_physical}))
    return nullptr;
  return std::make_unique<Crofton>(labeling);
}

}  // namespace gpuccl::measuring
