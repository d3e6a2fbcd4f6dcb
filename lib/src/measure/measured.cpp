#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpuccl/error.hpp"
#include "gpuccl/intensity.hpp"
#include "gpuccl/measures.hpp"
#include "measure/intensity_sums.hpp"
#include "measure/measure_sums.hpp"

namespace gpuccl {
namespace {

/// Kinds of saved samples: the sums of a part, or measures of all samples.
enum Saved : std::uint64_t { kSums, kDerived };

}  // namespace

Measured::Measured() = default;
Measured::Measured(std::unique_ptr<MeasureSums> sums) : sums_(std::move(sums)) {}
Measured::~Measured() = default;
Measured::Measured(Measured&&) noexcept = default;
Measured& Measured::operator=(Measured&&) noexcept = default;

const MeasureSet& Measured::wanted() const {
  static const MeasureSet none;
  return sums_ ? sums_->wanted() : none;
}

std::vector<MeasureId> Measured::columns() const {
  std::vector<MeasureId> columns = gpuccl::columns(wanted());
  std::erase_if(columns, [&](MeasureId id) {
    const MeasuredIn in = measure_of(id).in;
    return in != MeasuredIn::both && (in == MeasuredIn::volumes) != sums_->is_volume();
  });
  return columns;
}

void Measured::add(Intensities intensities) {
  intensities_ = std::make_unique<Intensities>(std::move(intensities));
}

void Measured::show_only(const MeasureSet& wanted) {
  if (sums_) sums_->show_only(wanted);
}

void Measured::select(const std::vector<Label>& map) {
  if (!sums_ || map.empty()) return;
  std::vector<Label> selected(map.size() - 1);
  Label count = 0;
  for (std::size_t label = 1; label < map.size(); ++label) {
    if (map[label] == 0) continue;
    selected[map[label] - 1] = selected_.empty() ? static_cast<Label>(label - 1) : selected_[label - 1];
    ++count;
  }
  selected.resize(count);
  selected_ = std::move(selected);
}

void Measured::save(std::size_t i, std::vector<std::uint64_t>& saved) const {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  sums_->save(measured, saved);
  if (intensities_) {
    saved.push_back(kDerived);
    intensities_->save(measured, saved);
  } else if (intensity_sums_) {
    saved.push_back(kSums);
    intensity_sums_->save(measured, saved);
  }
}

void Measured::add_saved(std::size_t i, std::span<const std::uint64_t> saved) {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  const auto expect = [](bool expected) {
    if (!expected) throw Error(Failure::data, "is damaged");
  };
  const std::size_t words = sums_->saved_words(measured);
  expect(saved.size() >= words);
  expect(sums_->add_saved(measured, saved.first(words)));
  const std::span rest = saved.subspan(words);
  if (!intensity_sums_ && !intensities_) return expect(rest.empty());
  expect(!rest.empty() && (rest.front() == kDerived || rest.front() == kSums));
  if (rest.front() == kSums)
    return expect(intensity_sums_ != nullptr && intensity_sums_->add_saved(measured, rest.subspan(1)));
  if (!intensities_) intensities_ = std::make_unique<Intensities>(intensity_sums_->size());
  expect(intensities_->set_saved(measured, rest.subspan(1)));
}

void Measured::add(std::unique_ptr<IntensitySums> sums) { intensity_sums_ = std::move(sums); }

std::uint64_t Measured::derive_intensities(std::size_t components) {
  if (!intensity_sums_) return 0;
  intensities_ = std::make_unique<Intensities>(intensity_sums_->derive(components));
  intensity_sums_.reset();
  return intensities_->nans;
}

Measured Measured::of_others(const Components& components) const {
  Measured others(sums_->of_others(components));
  if (intensities_) others.add(Intensities(components.size()));
  return others;
}

std::int64_t Measured::bytes_beside() const { return sums_ ? sums_->bytes_beside() : 0; }

MeasureValues Measured::values(const Components& components, std::size_t i) const {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  MeasureValues values = sums_->derive(components[i], measured);
  if (intensities_) intensities_->get(measured, values);
  return values;
}

}  // namespace gpuccl
