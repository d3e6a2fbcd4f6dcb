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

namespace {

using enum MeasuredIn;
using enum MeasureGroup;
using Id = MeasureId;

constexpr std::array<Measure, kMeasures> kTable{{
#define GPUCCL_MEASURE(id, name, group, in, unit, definition, source) \
  {Id::id, name, group, in, unit, definition, source},
#include "gpuccl/measures.def"
}};

}  // namespace

std::span<const Measure, kMeasures> measures() { return kTable; }

std::optional<MeasureId> find_measure(std::string_view name) {
  for (const Measure& measure : measures())
    if (measure.name == name) return measure.id;
  return std::nullopt;
}

MeasureSet measures_of(MeasureGroup group) {
  MeasureSet of_group;
  for (const Measure& measure : kTable)
    if (measure.group == group) of_group.set(static_cast<std::size_t>(measure.id));
  return of_group;
}

MeasureSet measures_without_shape() {
  MeasureSet set = measures_of(basic) | measures_of(intensity);
  for (const Id id : {Id::width, Id::height, Id::depth, Id::extent, Id::equivalent_diameter_area,
                      Id::equivalent_diameter_area_physical})
    set.set(static_cast<std::size_t>(id));
  for (const Id id : {Id::cx_weighted, Id::cy_weighted, Id::cz_weighted})
    set.reset(static_cast<std::size_t>(id));
  return set;
}

MeasureSet measures_across_borders(const PeriodicAxes& axes) {
  if (axes == PeriodicAxes{}) return ~measures_of(periodic);
  constexpr Id kOfAxis[3][3] = {{Id::wraps_x, Id::border_x0, Id::border_x1},
                                {Id::wraps_y, Id::border_y0, Id::border_y1},
                                {Id::wraps_z, Id::border_z0, Id::border_z1}};
  MeasureSet set = measures_without_shape() | measures_of(border);
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    for (const Id id : kOfAxis[axis])
      set.set(static_cast<std::size_t>(id), axes[axis] == (id == kOfAxis[axis][0]));
  return set;
}

MeasureSet by_name_only(Connectivity connectivity) {
  MeasureSet names;
  for (const Id id : {Id::components, Id::inscribed_radius, Id::inscribed_radius_physical})
    names.set(static_cast<std::size_t>(id));
  if (is_3d(connectivity))
    for (const Id id :
         {Id::feret_diameter_max, Id::feret_diameter_max_physical, Id::area_convex, Id::solidity})
      names.set(static_cast<std::size_t>(id));
  return names;
}

std::vector<MeasureId> columns(const MeasureSet& wanted) {
  std::vector<MeasureId> columns;
  for (const Measure& measure : measures())
    if (wanted[static_cast<std::size_t>(measure.id)] && measure.group != MeasureGroup::basic)
      columns.push_back(measure.id);
  return columns;
}

std::vector<MeasureColumn> columns(const MeasureSet& wanted, std::span<const std::string> images) {
  const MeasureSet of_images = wanted & measures_of(intensity);
  std::vector<MeasureColumn> table;
  for (const MeasureId id : columns(wanted & ~of_images))
    table.push_back({id, 0, std::string(measure_of(id).name)});
  for (std::size_t image = 0; image < std::max<std::size_t>(images.size(), 1); ++image)
    for (const MeasureId id : columns(of_images)) {
      table.push_back({id, image, std::string(measure_of(id).name)});
      if (image < images.size() && !images[image].empty()) table.back().name += "[" + images[image] + "]";
    }
  return table;
}

std::string_view name_of(MeasureGroup group) {
  constexpr std::string_view kNames[] = {"basic",    "shape",    "topology", "border",
                                         "periodic", "physical", "intensity"};
  return kNames[static_cast<std::size_t>(group)];
}

}  // namespace gpuccl
