#include "measure/intensity_sums.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "measure/group.hpp"
#include "measure/intensity_pass.hpp"
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

namespace {

template <class Sums>
class SumsOfKind final : public IntensitySums {
 public:
  SumsOfKind(const Components& components, const IntensityImage& image, const MeasureSet& wanted,
             std::int64_t first_row)
      : sums_(components.size()) {
    if constexpr (Sums::kInAnyOrder)
      tbb::parallel_for(std::size_t{0}, sums_.size(), [&](std::size_t i) { sums_[i] = {}; });
    if (counts_values(wanted, image)) counts_.emplace(components, image.values());
    if constexpr (!Sums::kInAnyOrder) {
      const Extent extent = image.extent();
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        const auto& [x, y, z] = components.box[i].min;
        if (std::int64_t{z} * extent.height + (extent.depth == 1 ? y : 0) < first_row)
          sums_[i].keep_separate();
      }
    }
  }

  std::size_t size() const override { return sums_.size(); }

  std::unique_ptr<SamplesPass> pass(const LabelRows& labels, std::int64_t begin, std::int64_t end,
                                    const Components& components, const IntensityImage& image,
                                    std::int64_t max_bytes) override {
    return std::make_unique<measuring::IntensityPass<Sums>>(labels, begin, end, components, image, counts(),
                                                            max_bytes, sums_);
  }

  void save(std::size_t i, std::vector<std::uint64_t>& saved) const override {
    if constexpr (Sums::kInAnyOrder) {
      saved.resize(saved.size() + kWords);
      std::memcpy(saved.data() + saved.size() - kWords, &sums_[i], sizeof(Sums));
      if (counts_) counts_->save(i, saved);
    } else {
      sums_[i].save(saved);
    }
  }

  bool add_saved(std::size_t i, std::span<const std::uint64_t> saved) override {
    if constexpr (Sums::kInAnyOrder) {
      if (saved.size() < kWords) return false;
      Sums sums;
      std::memcpy(static_cast<void*>(&sums), saved.data(), sizeof sums);
      sums_[i].add(sums);
      return counts_ ? counts_->add_saved(i, saved.subspan(kWords)) : saved.size() == kWords;
    } else {
      return sums_[i].add_saved(saved);
    }
  }

  Intensities derive(std::size_t count) override {
    Intensities intensities(count);
    std::atomic<std::uint64_t> nans = 0;
    std::mutex setting_large;
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      MeasureValues values;
      sums_[i].derive(values);
      if (counts_) counts_->derive(i, values);
      intensities.set(i, values);
      if (values.any_large()) {
        const std::lock_guard lock(setting_large);
        intensities.set_large(i, values);
      }
      if (const std::uint64_t of_component = sums_[i].nans(); of_component > 0) nans += of_component;
    });
    intensities.nans = nans;
    return intensities;
  }

 private:
  static constexpr std::size_t kWords = sizeof(Sums) / sizeof(std::uint64_t);
  static_assert(!Sums::kInAnyOrder ||
                (std::is_trivially_copyable_v<Sums> && sizeof(Sums) % sizeof(std::uint64_t) == 0));

  measuring::ValueCounts* counts() { return counts_ ? &*counts_ : nullptr; }

  measuring::SumsOfComponents<Sums> sums_;
  std::optional<measuring::ValueCounts> counts_;
};

}  // namespace

std::unique_ptr<IntensitySums> make_intensity_sums(const Components& components, const IntensityImage& image,
                                                   const MeasureSet& wanted, std::int64_t first_row) {
  using enum IntensityImage::Kind;
  switch (image.kind()) {
    case whole:
      return std::make_unique<SumsOfKind<measuring::WholeSums>>(components, image, wanted, first_row);
    case long_whole:
      return std::make_unique<SumsOfKind<measuring::LongSums>>(components, image, wanted, first_row);
    case real:
      return std::make_unique<SumsOfKind<measuring::RealSequence>>(components, image, wanted, first_row);
  }
  return nullptr;
}

void add_samples(const LabelRows& labels, std::int64_t begin, std::int64_t end, const Components& components,
                 std::span<const SumsOfImage> images, std::int64_t max_bytes) {
  std::vector<std::unique_ptr<SamplesPass>> passes;
  for (const SumsOfImage& one : images)
    passes.push_back(one.sums.pass(labels, begin, end, components, one.image, max_bytes));
  const int height = labels.extent().height;
  const auto end_z = begin < end ? static_cast<int>((end + height - 1) / height) : 0;
  std::int64_t ready = 0;
  for (int z = begin < end ? static_cast<int>(begin / height) : 0, next = 0; z < end_z; z = next) {
    const std::int64_t first = std::max(begin, std::int64_t{z} * height);
    if (first >= ready) ready = labels.prepare(first, 1);
    next = static_cast<int>(std::min<std::int64_t>(ready / height, end_z));
    for (const auto& pass : passes) next = pass->most_slices(z, next);
    const std::int64_t last = std::min(end, std::int64_t{next} * height);
    for (std::size_t i = 0; i < passes.size(); ++i) {
      // The previous image may have prepared later rows, which evicts the first ones.
      if (i > 0 && ready < last) ready = labels.prepare(first, 1);
      const std::int64_t now = passes[i]->add(z, next, ready);
      if (i + 1 == passes.size()) ready = now;
    }
  }
  for (const auto& pass : passes) pass->finish();
}

std::vector<Intensities> measure_intensities(const LabelRows& labels, const Components& components,
                                             std::span<const NamedSamples> images,
                                             const IntensityRequest& request) {
  std::int64_t left = request.max_bytes;
  for (const NamedSamples& one : images)
    if (!one.is_hidden && counts_values(request.wanted, *one.image))
      left -= measuring::ValueCounts::bytes(components, one.image->values());
  if (left < 0) throw measuring::not_enough_memory("median and percentiles need", request.max_bytes - left);
  std::vector<std::unique_ptr<IntensitySums>> sums;
  std::vector<SumsOfImage> all;
  for (const NamedSamples& one : images) {
    sums.push_back(
        make_intensity_sums(components, *one.image, one.is_hidden ? MeasureSet() : request.wanted));
    all.push_back({*sums.back(), *one.image});
  }
  add_samples(labels, 0, labels.extent().rows(), components, all, left);
  std::vector<Intensities> measured;
  for (auto& of_image : sums) {
    measured.push_back(of_image->derive(components.size()));
    of_image.reset();
  }
  return measured;
}

Intensities measure_intensity(const LabelRows& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request) {
  const NamedSamples one[] = {{&image, ""}};
  return std::move(measure_intensities(labels, components, one, request).front());
}

}  // namespace gpuccl
