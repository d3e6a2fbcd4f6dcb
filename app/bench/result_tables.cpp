#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/bench/reports.hpp"
#include "app/bench/results.hpp"
#include "app/common/messages.hpp"

namespace gpuccl::bench {
namespace {

constexpr std::size_t kColumnGap = 2;

}  // namespace

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

std::string as_text(const Table& given) {
  Table table = given;
  table.title = app::printable(table.title);
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = app::printable(cell);

  std::vector<std::size_t> widths;
  const auto widen = [&](const std::vector<std::string>& row) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  };
  widen(table.header);
  for (const auto& row : table.rows) widen(row);

  std::string text = table.title.empty() ? "" : table.title + "\n";
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - letters(row[i]), ' ');
      line += std::string(kColumnGap, ' ') + (i < table.word_columns ? row[i] + padding : padding + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string three_digits(double value) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, 6));
}

namespace {

std::string spread(const Timing& timing) {
  return three_digits(timing.low_ms) + "-" + three_digits(timing.high_ms);
}

/// Returns the reason why images were not timed; none if all were.
std::optional<std::string> note(const Row& row) {
  std::string text;
  const auto add = [&](int images, const char* reason) {
    if (images > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", images, reason);
  };
  add(row.wrong, "wrong, not timed");
  add(row.failed, "failed");
  add(row.left_out, "left out, too slow");
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string title_of(const ImageSetResult& group) {
  return describe(group) + " (" + describe_images(group) + ")";
}

/// A column of the table of averages: its cell in a row, none where the row has nothing to show.
struct Column {
  const char* name;
  std::optional<std::string> (*cell)(const Row&);
};

template <auto value>
std::optional<std::string> digits_of(const Row& row) {
  const std::optional<double> number = value(row);
  return number ? std::optional(three_digits(*number)) : std::nullopt;
}

template <const char* const& name>
std::optional<double> milliseconds(const Row& row) {
  const Measure* measure = find_measure(row.measures, name);
  return measure != nullptr ? std::optional(measure->timing.median_ms) : std::nullopt;
}

template <double Timing::*value>
std::optional<double> of_total(const Row& row) {
  const Measure* measure = total_of(row);
  return measure != nullptr ? std::optional(measure->timing.*value) : std::nullopt;
}

std::optional<std::string> total_spread(const Row& row) {
  const Measure* measure = total_of(row);
  return measure != nullptr ? std::optional(spread(measure->timing)) : std::nullopt;
}

std::optional<double> cycles(const Row& row) {
  const std::optional<double> total = total_ms(row);
  return total && row.cycles_a_ms != 0 ? std::optional(cycles_an_element(row, *total)) : std::nullopt;
}

std::optional<std::string> floor_of(const Row& row) {
  return row.floor_ms > 0 ? std::optional(three_digits(row.floor_ms) + " " + row.floor) : std::nullopt;
}

constexpr Column kColumns[] = {
    {"total ms", digits_of<total_ms>},
    {"min", digits_of<least_ms>},
    {"mean", digits_of<of_total<&Timing::mean_ms>>},
    {"max", digits_of<of_total<&Timing::max_ms>>},
    {"5-95 %", total_spread},
    {"run labels", digits_of<milliseconds<kHostRuns>>},
    {"allocated", digits_of<milliseconds<kAllocated>>},
    {"numbered", digits_of<milliseconds<kNumbered>>},
    {"statistics", digits_of<milliseconds<kStatistics>>},
    {"upload", digits_of<milliseconds<kUpload>>},
    {"download", digits_of<milliseconds<kDownload>>},
    {"whole", digits_of<milliseconds<kWhole>>},
    {"G/s", digits_of<throughput>},
    {"cycles", digits_of<cycles>},
    {"x floor", digits_of<multiple_of_floor>},
    {"floor ms", floor_of},
    {"note", note},
};

Table average_table(const ImageSetResult& group) {
  Table table{title_of(group), {"algorithm", "device"}, {}, 2};
  for (const Row& row : group.rows) table.rows.push_back({row.algorithm, app::device_name(row.device)});
  for (const Column& column : kColumns) {
    std::vector<std::optional<std::string>> cells;
    for (const Row& row : group.rows) cells.push_back(column.cell(row));
    if (std::none_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.has_value(); })) continue;
    table.header.emplace_back(column.name);
    for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i].value_or("-"));
  }
  return table;
}

Table steps_table(const ImageSetResult& group) {
  Table table{title_of(group),
              {"algorithm", "device", "step", "ms", "5-95 %", "launches", "x floor", "cycles"},
              {},
              3};
  for (const Row& row : group.rows) {
    for (const Measure& step : row.measures)
      table.rows.push_back({row.algorithm, app::device_name(row.device), step.name,
                            three_digits(step.timing.median_ms), spread(step.timing),
                            three_digits(step.launches), three_digits(step.timing.median_ms / row.floor_ms),
                            three_digits(cycles_an_element(row, step.timing.median_ms))});
    if (const std::optional<std::string> text = note(row))
      table.rows.push_back({row.algorithm, app::device_name(row.device), *text, "-", "-", "-", "-", "-"});
  }
  return table;
}

/// Returns memory accesses, rounded to integers.
Table memory_table(const ImageSetResult& group) {
  Table table{title_of(group), {"algorithm", "phase", "launches"}, {}, 2};
  for (const AccessKind& kind : kAccessKinds) {
    table.header.push_back(kind.name);
    std::replace(table.header.back().begin(), table.header.back().end(), '_', ' ');
  }
  table.header.insert(table.header.end(), {"bytes", "x floor"});
  for (const Row& row : group.rows) {
    for (const PhaseTime& phase : row.counted) {
      table.rows.push_back({row.algorithm, phase.phase, three_digits(double(phase.launches) / row.images)});
      for (const AccessKind& kind : kAccessKinds)
        table.rows.back().push_back(
            std::to_string(std::llround(static_cast<double>(phase.accesses.*kind.count) / row.images)));
      table.rows.back().push_back(std::to_string(std::llround(least_bytes(phase.accesses) / row.images)));
      table.rows.back().push_back(
          three_digits(multiple_of_floor_bytes(phase.accesses, row.images * row.elements)));
    }
    if (const std::optional<std::string> text = note(row)) table.rows.push_back({row.algorithm, *text});
  }
  return table;
}

/// Returns the work of thread blocks: the mean, and the maximum of one block on any image.
Table work_table(const ImageSetResult& group) {
  Table table{title_of(group), {"algorithm", "phase", "launches", "blocks"}, {}, 2};
  for (const WorkKind& kind : kWorkKinds)
    for (const char* which : {"", ", most"}) table.header.push_back(kind.title + std::string(which));
  for (const Row& row : group.rows) {
    for (const PhaseTime& phase : row.counted) {
      table.rows.push_back({row.algorithm, phase.phase, three_digits(double(phase.launches) / row.images),
                            std::to_string(phase.work.blocks / static_cast<std::uint64_t>(row.images))});
      for (const WorkKind& kind : kWorkKinds) {
        const OverBlocks& figure = phase.work.*kind.figure;
        table.rows.back().push_back(three_digits(mean_over_blocks(figure, phase.work)));
        table.rows.back().push_back(std::to_string(figure.most));
      }
    }
    if (const std::optional<std::string> text = note(row)) table.rows.push_back({row.algorithm, *text});
  }
  return table;
}

/// Adds tables with a row per place on the axis and a column per algorithm.
void add_series_tables(const Results& results, const Value& value, bool with_floors, const std::string& unit,
                       std::vector<Table>& tables) {
  for (const SeriesSet& set : series_sets(results, value, with_floors)) {
    Table table{set.title + ": " + unit, {set.axis}, {}, 1};
    for (const Series& series : set.series) table.header.push_back(series.title);
    for (std::size_t place = 0; place < set.places.size(); ++place) {
      std::vector<std::string> cells = {set.places[place]};
      for (const Series& series : set.series)
        cells.push_back(series.values[place] ? three_digits(*series.values[place]) : "-");
      table.rows.push_back(std::move(cells));
    }
    tables.push_back(std::move(table));
  }
}

/// Adds tables of throughput by size, with the size that reaches half of the peak.
void add_throughput_tables(const Results& results, std::vector<Table>& tables) {
  const std::vector<SeriesSet> sets = series_sets(results, throughput, false);
  const std::size_t first = tables.size();
  add_series_tables(results, throughput, false, "G/s", tables);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!sets[i].logarithmic || sets[i].x.size() < 2) continue;
    std::vector<std::string> cells = {"half of the peak"};
    for (const Series& series : sets[i].series) {
      const std::string size = half_of_peak(sets[i], series);
      cells.push_back(size.empty() ? "-" : size);
    }
    tables[first + i].rows.push_back(std::move(cells));
  }
}

}  // namespace

std::optional<Table> table_of(const ImageSetResult& group, Test test) {
  switch (test) {
    case Test::average:
    case Test::host:
    case Test::blocks:
    case Test::cca:
      return average_table(group);
    case Test::steps:
      return steps_table(group);
    case Test::memory:
      return memory_table(group);
    case Test::work:
      return work_table(group);
    case Test::density:
    case Test::granularity:
    case Test::size:
    case Test::iterations:
      break;
  }
  return {};
}

std::vector<Table> joint_tables(const Results& results) {
  std::vector<Table> all;
  switch (results.test) {
    case Test::average:
    case Test::blocks:
    case Test::cca:
      add_series_tables(results, total_ms, false, "total ms", all);
      add_series_tables(results, least_ms, false, "total ms, minimum of the repetitions", all);
      break;
    case Test::density:
    case Test::granularity:
    case Test::size:
      add_series_tables(results, total_ms, true, "total ms", all);
      add_series_tables(results, multiple_of_floor, false, "multiple of the floor", all);
      add_throughput_tables(results, all);
      break;
    case Test::iterations:
      add_series_tables(results, iterations, false, "iterations", all);
      break;
    case Test::work:
      add_series_tables(results, longest_walk, false,
                        "steps of the longest find path, mean over thread blocks", all);
      add_series_tables(results, atomics_a_block, false, "atomic operations, mean over thread blocks", all);
      break;
    case Test::steps:
    case Test::memory:
    case Test::host:
      break;
  }
  return all;
}

namespace {

/// Logarithms of the times of an algorithm, one for each set of images.
struct Logs {
  std::string title;
  double sum = 0;
  std::size_t sets = 0;
};

/// Adds the times of a group. Experiments that count have none.
void add_logs(const ImageSetResult& group, std::vector<Logs>& all) {
  for (const Row& row : group.rows) {
    const Measure* const total = total_of(row);
    if (total == nullptr || total->timing.median_ms <= 0) continue;
    auto logs = std::find_if(all.begin(), all.end(), [&](const Logs& one) { return one.title == row.title; });
    if (logs == all.end()) logs = all.insert(logs, {row.title});
    logs->sum += std::log(total->timing.median_ms);
    ++logs->sets;
  }
}

}  // namespace

std::string fastest(const Results& results) {
  std::map<Connectivity, std::vector<const ImageSetResult*>> groups;
  for (const ImageSetResult& group : results.groups) groups[group.connectivity].push_back(&group);
  std::string text;
  for (const auto& [connectivity, sets] : groups) {
    std::vector<Logs> all;
    for (const ImageSetResult* group : sets) add_logs(*group, all);
    std::erase_if(all, [all_sets = sets.size()](const Logs& logs) { return logs.sets < all_sets; });
    if (all.size() < 2) continue;
    std::sort(all.begin(), all.end(), [](const Logs& a, const Logs& b) { return a.sum < b.sum; });
    const double speedup = std::exp((all[1].sum - all[0].sum) / static_cast<double>(sets.size()));
    text += "fastest with " + std::to_string(static_cast<int>(connectivity)) +
            "-connectivity: " + all[0].title + ", " + three_digits(speedup) + " times as fast as " +
            all[1].title +
            (sets.size() == 1 ? ""
                              : " (geometric mean over " + app::counted(sets.size(), "set") + " of images)") +
            "\n";
  }
  return text;
}

std::vector<Table> tables(const Results& results) {
  std::vector<Table> all;
  for (const ImageSetResult& group : results.groups)
    if (std::optional<Table> table = table_of(group, results.test)) all.push_back(std::move(*table));
  for (Table& table : joint_tables(results)) all.push_back(std::move(table));
  return all;
}

}  // namespace gpuccl::bench
