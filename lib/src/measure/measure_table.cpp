#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "measure/intensity_sums.hpp"
#include "measure/measure.hpp"

namespace gpuccl {
namespace {

/// Kinds of saved samples: the sums of a part, or measures of all samples.
enum Saved : std::uint64_t { kSums, kDerived };

}  // namespace

MeasureTable::MeasureTable() = default;
MeasureTable::MeasureTable(std::unique_ptr<MeasureSums> sums) : sums_(std::move(sums)) {}
MeasureTable::~MeasureTable() = default;
MeasureTable::MeasureTable(MeasureTable&&) noexcept = default;
MeasureTable& MeasureTable::operator=(MeasureTable&&) noexcept = default;

const MeasureSet& MeasureTable::wanted() const {
  static const MeasureSet none;
  return sums_ ? sums_->wanted() : none;
}

std::vector<MeasureId> MeasureTable::columns() const {
  std::vector<MeasureId> columns = gpuccl::columns(wanted());
  std::erase_if(columns, [&](MeasureId id) {
    const MeasuredIn in = measure_of(id).in;
    return in != MeasuredIn::both && (in == MeasuredIn::volumes) != sums_->is_volume();
  });
  return columns;
}

std::vector<MeasureColumn> MeasureTable::table_columns() const {
  const std::span shown = std::span(images_).first(images_.size() - hidden_);
  std::vector<MeasureColumn> columns = gpuccl::columns(wanted(), shown);
  std::erase_if(columns, [&](const MeasureColumn& column) {
    const MeasuredIn in = measure_of(column.id).in;
    return in != MeasuredIn::both && (in == MeasuredIn::volumes) != sums_->is_volume();
  });
  return columns;
}

void MeasureTable::add_image(const NamedSamples& image) {
  images_.push_back(image.name);
  if (image.is_hidden) ++hidden_;
}

void MeasureTable::add(Intensities intensities, const NamedSamples& image) {
  intensities_.push_back(std::move(intensities));
  add_image(image);
}

void MeasureTable::add_pieces(std::vector<std::uint64_t> pieces) { pieces_ = std::move(pieces); }

bool MeasureTable::any_in_pieces() const {
  return std::any_of(pieces_.begin(), pieces_.end(), [](std::uint64_t pieces) { return pieces > 1; });
}

void MeasureTable::show_only(const MeasureSet& wanted) {
  if (sums_) sums_->show_only(wanted);
}

void MeasureTable::select(const std::vector<Label>& map) {
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

void MeasureTable::save(std::size_t i, std::vector<std::uint64_t>& saved) const {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  sums_->save(measured, saved);
  // The data of each image begins with its kind and its number of words.
  const auto put = [&](Saved kind, const auto& of_image) {
    saved.insert(saved.end(), {kind, 0});
    const std::size_t begin = saved.size();
    of_image.save(measured, saved);
    saved[begin - 1] = saved.size() - begin;
  };
  for (const Intensities& of_image : intensities_) put(kDerived, of_image);
  if (!intensities_.empty()) return;
  for (const auto& of_image : intensity_sums_) put(kSums, *of_image);
}

void MeasureTable::add_saved(std::size_t i, std::span<const std::uint64_t> saved) {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  const auto expect = [](bool expected) {
    if (!expected) throw Error(ErrorCode::data, "is damaged");
  };
  std::span rest = saved;
  expect(sums_->add_saved(measured, rest));
  for (std::size_t image = 0; image < images_.size(); ++image) {
    expect(rest.size() >= 2 && (rest[0] == kDerived || rest[0] == kSums) && rest[1] <= rest.size() - 2);
    const std::span of_image = rest.subspan(2, rest[1]);
    if (rest[0] == kSums) {
      expect(image < intensity_sums_.size() && intensity_sums_[image]->add_saved(measured, of_image));
    } else {
      if (intensities_.empty())
        for (const auto& sums : intensity_sums_) intensities_.emplace_back(sums->size());
      expect(image < intensities_.size() && intensities_[image].set_saved(measured, of_image));
    }
    rest = rest.subspan(2 + rest[1]);
  }
  expect(rest.empty());
}

void MeasureTable::add(std::unique_ptr<IntensitySums> sums, const NamedSamples& image) {
  intensity_sums_.push_back(std::move(sums));
  add_image(image);
}

std::vector<std::uint64_t> MeasureTable::derive_intensities(std::size_t components) {
  std::vector<std::uint64_t> nans;
  if (!intensity_sums_.empty()) intensities_.clear();
  for (const auto& sums : intensity_sums_) {
    intensities_.push_back(sums->derive(components));
    nans.push_back(intensities_.back().nans);
  }
  intensity_sums_.clear();
  return nans;
}

MeasureTable MeasureTable::empty_like(const Components& components) const {
  MeasureTable others(sums_->empty_like(components));
  for (std::size_t image = 0; image < intensities_.size(); ++image)
    others.add(Intensities(components.size()), {nullptr, images_[image], image + hidden_ >= images_.size()});
  return others;
}

std::int64_t MeasureTable::extra_bytes() const { return sums_ ? sums_->extra_bytes() : 0; }

MeasureValues MeasureTable::values(const Components& components, std::size_t i) const {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  MeasureValues values = sums_->derive(components[i], measured);
  if (!intensities_.empty()) intensities_.front().get(measured, values);
  if (!pieces_.empty()) {
    const auto pieces = static_cast<double>(pieces_[measured]);
    values[MeasureId::components] = pieces;
    values[MeasureId::holes] += pieces - 1;  // for one piece, holes are 1 minus the Euler number
  }
  return values;
}

void MeasureTable::get_intensities(std::size_t i, std::size_t image, MeasureValues& values) const {
  values.forget_large();
  intensities_[image].get(selected_.empty() ? i : selected_[i], values);
}

}  // namespace gpuccl
