
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "app/bench/reports.hpp"
#include "app/bench/results.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::bench {
namespace {

std::string percent(double share) { return three_digits(100 * share); }

std::string connectivity_of(const ImageSetResult& group) {
  return fmt::format("{}-connectivity", static_cast<int>(group.connectivity));
}

/// Names of a group's position on the axis of its set, and of the set.
struct Where {
  std::string set;
  std::string axis;
  std::string place;
  std::optional<double> x;
};

Where where(const ImageSetResult& group) {
  const std::string connectivity = ", " + connectivity_of(group);
  if (!group.extent) return {"datasets" + connectivity, "dataset", group.dataset, {}};
  const std::string size = io::to_string(*group.extent);
  const std::string density = "density " + percent(group.density) + " %";
  const std::string granularity = fmt::format("granularity {}", group.granularity);
  switch (group.axis) {
    case Axis::density:
      return {"random " + size + ", " + granularity + connectivity, "density (%)", percent(group.density),
              100 * group.density};
    case Axis::granularity:
      return {"random " + size + ", " + density + connectivity, "granularity",
              std::to_string(group.granularity), group.granularity};
    case Axis::size:
      return {"random, " + density + ", " + granularity + connectivity, "pixels", size, group.elements};
    case Axis::none:
      break;
  }
  return {"random images" + connectivity,
          "images",
          size + ", " + percent(group.density) + " %, " + granularity,
          {}};
}

Series& series_named(SeriesSet& set, const std::string& title, bool is_floor) {
  const auto at = std::find_if(set.series.begin(), set.series.end(),
                               [&](const Series& series) { return series.title == title; });
  if (at != set.series.end()) return *at;
  return set.series.emplace_back(Series{title, {}, is_floor});
}

void set_last(Series& series, std::size_t places, std::optional<double> value) {
  series.values.resize(places);
  series.values.back() = value;
}

}  // namespace

std::optional<double> total_ms(const Row& row) {
  const Measure* total = total_of(row);
  return total != nullptr ? std::optional(total->timing.median_ms) : std::nullopt;
}

std::optional<double> least_ms(const Row& row) {
  const Measure* total = total_of(row);
  return total != nullptr ? std::optional(total->timing.min_ms) : std::nullopt;
}

std::optional<double> throughput(const Row& row) {
  const std::optional<double> total = total_ms(row);
  return total && *total > 0 ? std::optional(row.elements / *total / 1e6) : std::nullopt;
}

std::optional<double> multiple_of_floor(const Row& row) {
  const std::optional<double> total = total_ms(row);
  return total && row.floor_ms > 0 ? std::optional(*total / row.floor_ms) : std::nullopt;
}

namespace {

std::optional<double> mean_of(const Row& row, OverBlocks Work::*figure) {
  const PhaseTime* phase = working_phase(row);
  if (phase == nullptr || phase->work.blocks == 0) return std::nullopt;
  return mean_over_blocks(phase->work.*figure, phase->work);
}

}  // namespace

std::optional<double> longest_walk(const Row& row) { return mean_of(row, &Work::longest); }
std::optional<double> atomics_a_block(const Row& row) { return mean_of(row, &Work::atomics); }

std::optional<double> iterations(const Row& row) {
  return row.measures.empty() ? std::nullopt : std::optional(row.measures.front().launches);
}

std::vector<SeriesSet> series_sets(const Results& results, const Value& value, bool with_floors) {
  std::vector<SeriesSet> all;
  for (const ImageSetResult& group : results.groups) {
    const Where place = where(group);
    auto at =
        std::find_if(all.begin(), all.end(), [&](const SeriesSet& set) { return set.title == place.set; });
    if (at == all.end())
      at = all.insert(at, SeriesSet{place.set,
                                    place.axis,
                                    {},
                                    {},
                                    {},
                                    group.axis == Axis::size,
                                    group.extent && group.extent->depth > 1});
    at->places.push_back(place.place);
    if (place.x) at->x.push_back(*place.x);
    for (const Row& row : group.rows)
      set_last(series_named(*at, row.title, false), at->places.size(), value(row));
    if (!with_floors) continue;
    for (const Row& row : group.rows)
      if (row.images > 0)
        set_last(series_named(*at, "floor " + row.floor, true), at->places.size(), row.floor_ms);
  }
  for (SeriesSet& set : all) {
    for (Series& series : set.series) series.values.resize(set.places.size());
    std::stable_partition(set.series.begin(), set.series.end(),
                          [](const Series& series) { return !series.is_floor; });
  }
  return all;
}

std::string half_of_peak(const SeriesSet& set, const Series& series) {
  double peak = 0;
  for (const auto& value : series.values) peak = std::max(peak, value.value_or(0));
  if (peak == 0) return "";
  std::vector<std::pair<double, double>> points;  // elements, throughput
  for (std::size_t i = 0; i < set.x.size(); ++i)
    if (series.values[i]) points.emplace_back(set.x[i], *series.values[i]);
  std::sort(points.begin(), points.end());
  const auto at =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return 2 * point.second >= peak; });
  double elements = at->first;
  if (at != points.begin()) {
    const auto before = at - 1;
    elements =
        std::lerp(before->first, at->first, (peak / 2 - before->second) / (at->second - before->second));
  }
  const std::string side =
      std::to_string(std::lround(set.of_volumes ? std::cbrt(elements) : std::sqrt(elements)));
  return side + "x" + side + (set.of_volumes ? "x" + side : "");
}

std::string describe(const ImageSetResult& group) {
  if (!group.extent) return group.dataset;
  return fmt::format("random {}, density {} %, granularity {}", io::to_string(*group.extent),
                     percent(group.density), group.granularity);
}

std::string describe_images(const ImageSetResult& group) {
  return fmt::format("{}, {}{} of {} million pixels, {} % foreground, {} components", connectivity_of(group),
                     group.images, group.images == 1 ? " image" : " images",
                     three_digits(group.elements / 1e6), percent(group.foreground),
                     std::llround(group.components));
}

}  // namespace gpuccl::bench
