#include "app/bench/chart.hpp"

#include <algorithm>
#include <limits>
#include <map>
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
  for (const PhaseTime& phase : row.counted) {
    const Accesses& sum = phase.accesses;
    parts.emplace_back(
        phase.phase,
        static_cast<double>(sum.image_reads + sum.reads + sum.writes + sum.atomics) / row.images);
  }
  return parts;
}

/// Names the series with the lowest values, and at how many points it is lowest.
std::string lowest(const SeriesSet& set) {
  std::map<std::string, int> wins;
  int places = 0;
  for (std::size_t place = 0; place < set.places.size(); ++place) {
    const Series* least = nullptr;
    int values = 0;
    for (const Series& series : set.series) {
      if (series.is_floor || !series.values[place]) continue;
      ++values;
      if (least == nullptr || *series.values[place] < *least->values[place]) least = &series;
    }
    if (values < 2) continue;
    ++places;
    ++wins[least->title];
  }
  if (places == 0) return "";
  std::vector<std::pair<std::string, int>> most(wins.begin(), wins.end());
  std::stable_sort(most.begin(), most.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (most.size() == 1)
    return " Lowest" + std::string(places > 1 ? " everywhere" : "") + ": " + most[0].first + ".";
  std::string text = " Lowest: ";
  for (const auto& [title, count] : most)
    text += (title == most[0].first ? "" : ", ") + title + " at " + std::to_string(count);
  return text + " of " + std::to_string(places) + ".";
}

/// Phases of the algorithms of one group, one bar an algorithm.
Chart phases_of(const Group& group, const std::string& unit, const std::string& note,
                Parts (*parts_of)(const Row&)) {
  Chart chart{ChartKind::stacked_bars, false, false, unit, note, {describe(group), "algorithm", {}, {}, {}}};
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
  const auto add = [&](const Value& value, bool with_floors, const std::string& unit,
                       const std::string& note) {
    for (SeriesSet& set : series_sets(results, value, with_floors)) {
      const ChartKind kind = set.x.size() < 2 ? ChartKind::bars : ChartKind::curves;
      const bool logarithmic = kind == ChartKind::curves && set.logarithmic;
      const bool magnitudes = kind == ChartKind::curves && spans_magnitudes(set);
      all.push_back({kind, logarithmic, magnitudes, unit, note + lowest(set), std::move(set)});
    }
  };
  const auto add_throughputs = [&] {
    for (SeriesSet& set : series_sets(results, throughput, false)) {
      if (set.x.size() < 2) continue;
      std::string note = "10^9 pixels per second; higher is better.";
      for (const Series& series : set.series)
        if (const std::string size = half_of_peak(set, series); !size.empty())
          note += (note.ends_with("faster.") ? " Half of the peak: " : ", ") + series.title + " at " + size;
      all.push_back({ChartKind::curves, set.logarithmic, false, "G/s", note + ".", std::move(set)});
    }
  };
  switch (results.test) {
    case Test::steps:
      for (const Group& group : results.groups)
        all.push_back(phases_of(group, "ms", "Milliseconds per phase, timed separately, by kind of work.",
                                milliseconds_of));
      break;
    case Test::memory:
      for (const Group& group : results.groups)
        all.push_back(phases_of(
            group, "accesses",
            "Accesses of each phase to global memory (image, labels and parent pointers), by kind of work.",
            global_accesses_of));
      break;
    case Test::work:
      add(longest_walk, false, "steps",
          "Longest find path per thread block, in steps: mean over the thread blocks of the first phase with "
          "finds.");
      add(atomics_a_block, false, "atomic operations",
          "Atomic operations per thread block: mean over those of the first phase with finds.");
      break;
    case Test::iterations:
      add(iterations, false, "iterations", "Iterations until nothing changes.");
      break;
    case Test::host:
      add(total_ms, false, "ms", "Image to label image, both in host memory.");
      add(run_labels_ms, false, "ms", "Image to one label per run, both in host memory.");
      break;
    case Test::size:
      add(total_ms, true, "ms", "Image to provisional labels; lower is better.");
      add_throughputs();
      break;
    case Test::average:
    case Test::blocks:
    case Test::density:
    case Test::granularity:
      add(total_ms, true, "ms", "Image to provisional labels; lower is better.");
      break;
  }
  for (Chart& chart : all) std::erase_if(chart.data.series, is_empty);
  std::erase_if(all, [](const Chart& chart) { return chart.data.series.empty(); });
  return all;
}

}  // namespace gpuccl::bench
