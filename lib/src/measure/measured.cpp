#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpuccl/intensity.hpp"
#include "gpuccl/measures.hpp"
#include "measure/measure_sums.hpp"

namespace gpuccl {

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
  sums_->save(selected_.empty() ? i : selected_[i], saved);
}

void Measured::add_saved(std::size_t i, std::span<const std::uint64_t> saved) {
  sums_->add_saved(selected_.empty() ? i : selected_[i], saved);
}

Measured Measured::of_others(const Components& components) const {
  return Measured(sums_->of_others(components));
}

std::int64_t Measured::bytes_beside() const { return sums_ ? sums_->bytes_beside() : 0; }

MeasureValues Measured::values(const Components& components, std::size_t i) const {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  MeasureValues values = sums_->derive(components[i], measured);
  if (intensities_) intensities_->get(measured, values);
  return values;
}

}  // namespace gpuccl
