#include <algorithm>

#include "gpuccl/measures.hpp"

namespace gpuccl {
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
