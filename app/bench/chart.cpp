#include "app/bench/chart.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpuccl::bench {
namespace {

using Parts = std::vector<std::pair<std::string, double>>;

Parts milliseconds_of(const Row& row) {
  Parts parts;
  for (const Measure& step : row.measures) parts.emplace_back(step.name, step.timing.median_ms);
  return parts;
}

/// Accesses to the whole image and its labels.
Parts global_accesses_of(const Row& row) {
  Parts parts;
  for (const PhaseTime& phase : row.accesses) {
    const Accesses& sum = phase.accesses;
    parts.emplace_back(
        phase.phase,
        static_cast<double>(sum.image_reads + sum.reads + sum.writes + sum.atomics) / row.images);
  }
  return parts;
}

/// Phases of the algorithms of one group, one bar an algorithm.
Chart phases_of(const Group& group, const std::string& unit, Parts (*parts_of)(const Row&)) {
  Chart chart{ChartKind::stacked_bars, false, false, unit, {describe(group), "algorithm", {}, {}, {}}};
  std::vector<const Row*> rows;
  for (const Row& row : group.rows)
    if (row.images > 0) rows.push_back(&row);
  for (const Row* row : rows) {
    chart.data.places.push_back(row->title);
    for (const auto& [name, value] : parts_of(*row)) {
      const auto known = [&, &part = name](const Series& series) { return series.title == part; };
      auto at = std::find_if(chart.data.series.begin(), chart.data.series.end(), known);
      if (at == chart.data.series.end())
        at = chart.data.series.insert(at, {name, std::vector<std::optional<double>>(rows.size()), false});
      at->values[chart.data.places.size() - 1] = value;
    }
  }
  return chart;
}

/// Whether the largest value hides the smallest on a linear axis. Zero has no place on another.
bool spans_magnitudes(const SeriesSet& set) {
  constexpr double kTooMuch = 50;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Series& series : set.series)
    for (const std::optional<double>& value : series.values) {
      least = std::min(least, value.value_or(least));
      most = std::max(most, value.value_or(most));
    }
  return least > 0 && most > kTooMuch * least;
}

bool is_empty(const Series& series) {
  return std::none_of(series.values.begin(), series.values.end(),
                      [](const auto& value) { return value.has_value(); });
}

}  // namespace

std::vector<Chart> charts(const Results& results) {
  std::vector<Chart> all;
  const auto add = [&](const Value& value, bool with_floors, const std::string& unit) {
    for (SeriesSet& set : series_sets(results, value, with_floors)) {
      const ChartKind kind = set.x.size() < 2 ? ChartKind::bars : ChartKind::curves;
      const bool magnitudes = spans_magnitudes(set);
      all.push_back({kind, results.test == Test::size, magnitudes, unit, std::move(set)});
    }
  };
  switch (results.test) {
    case Test::steps:
      for (const Group& group : results.groups) all.push_back(phases_of(group, "ms", milliseconds_of));
      break;
    case Test::memory:
      for (const Group& group : results.groups)
        all.push_back(phases_of(group, "accesses to global memory", global_accesses_of));
      break;
    case Test::iterations:
      add(iterations, false, "iterations");
      break;
    case Test::host:
      add(total_ms, false, "ms to a label image in host memory");
      add(run_labels_ms, false, "ms to a label for each run in host memory");
      break;
    case Test::average:
    case Test::density:
    case Test::granularity:
    case Test::size:
      add(total_ms, true, "ms");
      break;
  }
  for (Chart& chart : all) std::erase_if(chart.data.series, is_empty);
  std::erase_if(all, [](const Chart& chart) { return chart.data.series.empty(); });
  return all;
}

}  // namespace gpuccl::bench
