#include <algorithm>
#include <bit>
#include <utility>

#include "gpuccl/measures.hpp"
#include "measure/intensity_sums.hpp"
#include "measure/sample_sums.hpp"
#include "measure/value_counts.hpp"

namespace gpuccl {
namespace {

constexpr auto kFirst = static_cast<std::size_t>(MeasureId::intensity_min);
constexpr auto kLast = static_cast<std::size_t>(MeasureId::cz_weighted);
constexpr std::size_t kEach = kLast - kFirst + 1;

}  // namespace

Intensities::Intensities(std::size_t components) : values_(components * kEach) {}

void Intensities::set(std::size_t i, const MeasureValues& values) {
  for (std::size_t k = 0; k < kEach; ++k) values_[i * kEach + k] = values[static_cast<MeasureId>(kFirst + k)];
}

void Intensities::set_large(std::size_t i, const MeasureValues& values) {
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k) large_[i][k] = values.large(kWholeMeasures[k]);
}

void Intensities::get(std::size_t i, MeasureValues& values) const {
  for (std::size_t k = 0; k < kEach; ++k) values[static_cast<MeasureId>(kFirst + k)] = values_[i * kEach + k];
  const auto large = large_.find(i);
  if (large == large_.end()) return;
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k)
    if (large->second[k] != 0) values.set_whole(kWholeMeasures[k], large->second[k]);
}

void Intensities::save(std::size_t i, std::vector<std::uint64_t>& saved) const {
  for (std::size_t k = 0; k < kEach; ++k)
    saved.push_back(std::bit_cast<std::uint64_t>(values_[i * kEach + k]));
  const auto large = large_.find(i);
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k) {
    const WholeNumber value = large == large_.end() ? 0 : large->second[k];
    saved.push_back(static_cast<std::uint64_t>(value));
    saved.push_back(static_cast<std::uint64_t>(value >> 64));
  }
}

bool Intensities::set_saved(std::size_t i, std::span<const std::uint64_t> saved) {
  if (saved.size() != kEach + 2 * kWholeMeasures.size()) return false;
  for (std::size_t k = 0; k < kEach; ++k) values_[i * kEach + k] = std::bit_cast<double>(saved[k]);
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k) {
    const std::span words = saved.subspan(kEach + 2 * k, 2);
    const auto value = static_cast<WholeNumber>(CoordinateSum{words[1]} << 64 | words[0]);
    if (value != 0) large_[i][k] = value;
  }
  return true;
}

bool needs_value_counts(const MeasureSet& wanted) { return measuring::ValueCounts::are_wanted(wanted); }

bool counts_values(const MeasureSet& wanted, const IntensityImage& image) {
  return image.values().count > 0 && needs_value_counts(wanted);
}

std::size_t bytes_of_intensity(bool long_samples) {
  constexpr std::size_t kLarge = kWholeMeasures.size() * sizeof(WholeNumber) + 48;  // with a table's node
  return kEach * sizeof(double) +
         (long_samples ? sizeof(measuring::LongSums) + kLarge
                       : std::max(sizeof(measuring::WholeSums), sizeof(measuring::RealSequence)));
}

Intensities measure_intensity(const LabelRows& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request) {
  const NamedSamples one[] = {{&image, ""}};
  return std::move(measure_intensities(labels, components, one, request).front());
}

}  // namespace gpuccl
