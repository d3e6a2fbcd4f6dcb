#include <algorithm>
#include <cstddef>
#include <utility>

#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "measure/intensity_sums.hpp"
#include "measure/measure.hpp"
#include "parts/message.hpp"

namespace gpuccl {
namespace {

/// The only part: its result of each step is that of the whole image.
namespace whole_image {

PartResult unite_part(PartLink&, const Slab& slab, Extent, Connectivity, Labeling labeled,
                      UninitializedVector<ValueBits> values, ValueFaces) {
  PartResult part;
  part.count = static_cast<Label>(labeled.components.size());
  for (const std::uint64_t area : labeled.components.area) part.largest = std::max(part.largest, area);
  part.labels = {slab, std::move(labeled.labels), {}};
  part.components = std::move(labeled.components);
  part.values = std::move(values);
  return part;
}

std::vector<std::array<Wrap, 3>> wrap_part(PartLink&, Extent, Connectivity connectivity,
                                           const PeriodicAxes& periodic, PartResult& part) {
  Wrapped wrapped = wrap(*part.labels.labels, part.components, connectivity, periodic, part.values);
  part.components = std::move(wrapped.components);
  remap(wrapped.map, part.components.size(), part.values);
  part.count = static_cast<Label>(part.components.size());
  for (const std::uint64_t area : part.components.area) part.largest = std::max(part.largest, area);
  part.labels.numbers = std::move(wrapped.map);
  return std::move(wrapped.wraps);
}

Labeling cavities_of_part(PartLink&, Extent, Connectivity, PartResult background) {
  return {std::move(background.labels.labels), std::move(background.components), {}, 0};
}

void measure_part(PartLink&, Extent, const MeasureRequest& request, PartResult& part,
                  const std::function<void(const std::function<void()>& work)>& alone) {
  alone([&] {
    part.measured = measure(*part.labels.labels, part.components, request);
    part.nans = derive_intensities(part.measured, part.components.size());
  });
}

void select_part(PartLink&, Extent whole, Connectivity connectivity, const SelectionOptions& options,
                 PartResult& part, const ComponentValues& values) {
  Selection selected = select(std::move(part.components), whole, !is_3d(connectivity), options, part.measured,
                              {part.values, values.type, values.per_value});
  renumber(part.measured, selected.map);
  remap(selected.map, selected.components.size(), part.values);
  part.components = std::move(selected.components);
  part.count = static_cast<Label>(part.components.size());
  part.dropped = selected.dropped;
  if (part.labels.numbers.empty()) {
    part.labels.numbers = std::move(selected.map);
  } else if (!selected.map.empty()) {
    for (Label& number : part.labels.numbers) number = selected.map[number];
  }
}

std::vector<Contact> find_contacts_of_part(
    PartLink&, Extent, Connectivity connectivity, const PartResult& part, const PeriodicAxes& periodic,
    std::int64_t max_bytes, const std::function<void(const std::function<void()>& work)>& alone) {
  std::vector<Contact> contacts;
  alone([&] {
    contacts = find_contacts(*part.labels.labels, connectivity, part.labels.map(), periodic, max_bytes);
  });
  return contacts;
}

}  // namespace whole_image

/// Calls the form of a step that suits the number of parts.
template <class Step, class... Arguments>
auto call(Step* of_whole, Step* of_several, PartLink& link, Arguments&&... arguments) {
  return (link.parts() == 1 ? of_whole : of_several)(link, std::forward<Arguments>(arguments)...);
}

}  // namespace

PartResult unite_part(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                      Labeling labeled, UninitializedVector<ValueBits> values, ValueFaces at_faces) {
  return call(whole_image::unite_part, several_parts::unite_part, link, slab, whole, connectivity,
              std::move(labeled), std::move(values), std::move(at_faces));
}

std::vector<std::array<Wrap, 3>> wrap_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const PeriodicAxes& periodic, PartResult& part) {
  return call(whole_image::wrap_part, several_parts::wrap_part, link, whole, connectivity, periodic, part);
}

Labeling cavities_of_part(PartLink& link, Extent whole, Connectivity connectivity, PartResult background) {
  return call(whole_image::cavities_of_part, several_parts::cavities_of_part, link, whole, connectivity,
              std::move(background));
}

void measure_part(PartLink& link, Extent whole, const MeasureRequest& request, PartResult& part,
                  const std::function<void(const std::function<void()>& work)>& alone) {
  call(whole_image::measure_part, several_parts::measure_part, link, whole, request, part, alone);
}

void select_part(PartLink& link, Extent whole, Connectivity connectivity, const SelectionOptions& options,
                 PartResult& part, const ComponentValues& values) {
  call(whole_image::select_part, several_parts::select_part, link, whole, connectivity, options, part,
       values);
}

std::vector<Contact> find_contacts_of_part(
    PartLink& link, Extent whole, Connectivity connectivity, const PartResult& part,
    const PeriodicAxes& periodic, std::int64_t max_bytes,
    const std::function<void(const std::function<void()>& work)>& alone) {
  return call(whole_image::find_contacts_of_part, several_parts::find_contacts_of_part, link, whole,
              connectivity, part, periodic, max_bytes, alone);
}

}  // namespace gpuccl
