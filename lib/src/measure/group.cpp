#include "measure/group.hpp"

#include <algorithm>

#include "gpuccl/objects.hpp"

namespace gpuccl::measuring {

bool wants(const Labeling& labeling, std::initializer_list<MeasureId> ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](MeasureId id) { return labeling.request.wanted[static_cast<std::size_t>(id)]; });
}

Connectivity connectivity_around(const Labeling& labeling) {
  return labeling.request.labels_touch ? all_neighbors(labeling.request.connectivity)
                                       : labeling.request.connectivity;
}

void Group::merge(std::uint64_t* into, const std::uint64_t* part) const {
  for (std::size_t i = 0; i < words(); ++i) into[i] += part[i];
}

}  // namespace gpuccl::measuring
