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
MeasureTable::MeasureTable(std::unique_ptr<Measured> measured) : measured_(std::move(measured)) {}
MeasureTable::~MeasureTable() = default;
MeasureTable::MeasureTable(MeasureTable&&) noexcept = default;
MeasureTable& MeasureTable::operator=(MeasureTable&&) noexcept = default;

const MeasureSet& MeasureTable::wanted() const {
  static const MeasureSet none;
  return any() ? measured_->sums.wanted() : none;
}

std::vector<MeasureId> MeasureTable::columns() const {
  std::vector<MeasureId> columns = gpuccl::columns(wanted());
  std::erase_if(columns, [&](MeasureId id) {
    const MeasuredIn in = measure_of(id).in;
    return in != MeasuredIn::both && (in == MeasuredIn::volumes) != measured_->sums.is_volume();
  });
  return columns;
}

std::vector<MeasureColumn> MeasureTable::table_columns() const {
  if (!any()) return {};
  const std::vector<std::string>& images = measured_->images;
  MeasureSet shown;
  for (const MeasureId id : columns()) shown.set(static_cast<std::size_t>(id));
  return gpuccl::columns(shown, std::span(images).first(images.size() - measured_->hidden));
}

MeasureValues MeasureTable::values(const Components& components, std::size_t i) const {
  const std::size_t place = measured_->place(i);
  MeasureValues values = measured_->sums.derive(components[i], place);
  if (!measured_->intensities.empty()) measured_->intensities.front().get(place, values);
  if (!measured_->pieces.empty()) {
    const auto pieces = static_cast<double>(measured_->pieces[place]);
    values[MeasureId::components] = pieces;
    values[MeasureId::holes] += pieces - 1;  // for one piece, holes are 1 minus the Euler number
  }
  return values;
}

void MeasureTable::get_intensities(std::size_t i, std::size_t image, MeasureValues& values) const {
  values.forget_large();
  measured_->intensities[image].get(measured_->place(i), values);
}

std::int64_t extra_bytes(const MeasureTable& table) {
  return table.any() ? table.state().sums.extra_bytes() : 0;
}

MeasureTable empty_like(const MeasureTable& table, const Components& components) {
  const Measured& from = table.state();
  auto others = std::make_unique<Measured>(from.sums.empty_like(components));
  others->images = from.images;
  others->hidden = from.hidden;
  others->intensities.assign(from.intensities.size(), Intensities(components.size()));
  return MeasureTable(std::move(others));
}

void save(const MeasureTable& table, std::size_t i, std::vector<std::uint64_t>& saved) {
  const Measured& measured = table.state();
  const std::size_t place = measured.place(i);
  measured.sums.save(place, saved);
  // The data of each image begins with its kind and its number of words.
  const auto put = [&](Saved kind, const auto& of_image) {
    saved.insert(saved.end(), {kind, 0});
    const std::size_t begin = saved.size();
    of_image.save(place, saved);
    saved[begin - 1] = saved.size() - begin;
  };
  for (const Intensities& of_image : measured.intensities) put(kDerived, of_image);
  if (!measured.intensities.empty()) return;
  for (const auto& of_image : measured.intensity_sums) put(kSums, *of_image);
}

void add_saved(MeasureTable& table, std::size_t i, std::span<const std::uint64_t> saved) {
  Measured& measured = table.state();
  const std::size_t place = measured.place(i);
  const auto expect = [](bool expected) {
    if (!expected) throw Error(ErrorCode::data, "is damaged");
  };
  std::span rest = saved;
  expect(measured.sums.add_saved(place, rest));
  for (std::size_t image = 0; image < measured.images.size(); ++image) {
    expect(rest.size() >= 2 && (rest[0] == kDerived || rest[0] == kSums) && rest[1] <= rest.size() - 2);
    const std::span of_image = rest.subspan(2, rest[1]);
    std::vector<Intensities>& derived = measured.intensities;
    if (rest[0] == kSums) {
      expect(image < measured.intensity_sums.size() &&
             measured.intensity_sums[image]->add_saved(place, of_image));
    } else {
      if (derived.empty())
        for (const auto& sums : measured.intensity_sums) derived.emplace_back(sums->size());
      expect(image < derived.size() && derived[image].set_saved(place, of_image));
    }
    rest = rest.subspan(2 + rest[1]);
  }
  expect(rest.empty());
}

std::vector<std::uint64_t> derive_intensities(MeasureTable& table, std::size_t components) {
  if (!table.any()) return {};
  Measured& measured = table.state();
  if (!measured.intensity_sums.empty()) measured.intensities.clear();
  for (const auto& sums : measured.intensity_sums) measured.intensities.push_back(sums->derive(components));
  measured.intensity_sums.clear();
  std::vector<std::uint64_t> nans;
  for (const Intensities& of_image : measured.intensities) nans.push_back(of_image.nans);
  return nans;
}

bool any_in_pieces(const MeasureTable& table) {
  return table.any() && std::any_of(table.state().pieces.begin(), table.state().pieces.end(),
                                    [](std::uint64_t pieces) { return pieces > 1; });
}

void show_only(MeasureTable& table, const MeasureSet& wanted) {
  if (table.any()) table.state().sums.show_only(wanted);
}

void renumber(MeasureTable& table, const std::vector<Label>& map) {
  if (!table.any() || map.empty()) return;
  const Measured& measured = table.state();
  std::vector<Label> selected(map.size() - 1);
  Label count = 0;
  for (std::size_t label = 1; label < map.size(); ++label) {
    if (map[label] == 0) continue;
    selected[map[label] - 1] = static_cast<Label>(measured.place(label - 1));
    ++count;
  }
  selected.resize(count);
  table.state().selected = std::move(selected);
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
