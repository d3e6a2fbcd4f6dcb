#include "app/label/self_check.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <string>

#include "gpuccl/error.hpp"

namespace gpuccl::app {

Areas areas_of(const Components& components) {
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      Range(0, components.size(), 1 << 16), Areas{},
      [&](const Range& range, Areas areas) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          areas.sum += components.area[i];
          areas.largest = std::max(areas.largest, components.area[i]);
        }
        return areas;
      },
      [](Areas a, Areas b) {
        return Areas{a.sum + b.sum, std::max(a.largest, b.largest)};
      });
}

void self_check(const Labeled& labeled, std::uint64_t in_components, std::int64_t foreground) {
  const std::size_t components = labeled.components.size();
  if (in_components != static_cast<std::uint64_t>(foreground) || components != labeled.labels->count())
    throw Error(Failure::internal, "self-check failed: " + std::to_string(labeled.labels->count()) +
                                       " labels, " + std::to_string(components) + " components of " +
                                       std::to_string(in_components) + " elements, but the foreground has " +
                                       std::to_string(foreground));
}

}  // namespace gpuccl::app
