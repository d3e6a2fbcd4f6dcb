#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "app/bench/results.hpp"
#include "app/common/messages.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::bench {
namespace {

constexpr double kFewestOfFactor = 2;  // repetitions; one is no measurement to compare with others

/// Returns the total that algorithms are compared by: preallocated if it was measured, else allocated, else
/// from host to host, else of components; null if there is none.
const Measure* total_of(const Row& row) {
  for (const char* total : {kPreallocated, kAllocated, kHostImage, kComponents})
    if (const Measure* measure = find_measure(row.measures, total)) return measure;
  return nullptr;
}

Json object(const Measure& measure, const Row& row, Test test) {
  Json json{{"name", measure.name}, {"launches", measure.launches}};
  if (test == Test::iterations) return json;
  for (const TimingField& field : kTimingFields) json[field.name] = measure.timing.*field.value;
  json["repetitions"] = measure.repetitions;
  const double median = measure.timing.median_ms;
  if (row.floor_ms > 0 && measure.repetitions >= kFewestOfFactor)
    json["multiple_of_floor"] = median / row.floor_ms;
  if (row.cycles_a_ms > 0 && row.elements > 0)
    json["cycles_per_element"] = median * row.cycles_a_ms / row.elements;
  if (median > 0) json["elements_per_ns"] = row.elements / median / 1e6;
  return json;
}

/// Counts of a phase: means over the images and, for --test work, over their thread blocks.
Json object(const PhaseTime& phase, const Row& row, Test test) {
  const int images = row.images;
  Json json{{"name", phase.phase}, {"launches", static_cast<double>(phase.launches) / images}};
  if (test == Test::work) {
    json["blocks"] = static_cast<double>(phase.work.blocks) / images;
    for (const WorkKind& kind : kWorkKinds) {
      json[std::string(kind.name) + "_mean"] = mean_over_blocks(phase.work.*kind.figure, phase.work);
      json[std::string(kind.name) + "_most"] = (phase.work.*kind.figure).most;
    }
    return json;
  }
  for (const AccessKind& kind : kAccessKinds)
    json[kind.name] = static_cast<double>(phase.accesses.*kind.count) / images;
  json["least_bytes"] = least_bytes(phase.accesses) / images;
  json["multiple_of_floor_bytes"] = multiple_of_floor_bytes(phase.accesses, images * row.elements);
  return json;
}

/// Returns the reason why images were not timed; "" if all were.
std::string note(const Row& row) {
  std::string text;
  const auto add = [&](int images, const char* reason) {
    if (images > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", images, reason);
  };
  add(row.wrong, "wrong, not timed");
  add(row.failed, "failed");
  add(row.left_out, "left out, too slow");
  return text;
}

Json object(const Row& row, Test test) {
  Json json{{"algorithm", row.algorithm}, {"device", app::device_name(row.device)},
            {"title", row.title},         {"images", row.images},
            {"wrong", row.wrong},         {"failed", row.failed},
            {"left_out", row.left_out}};
  if (const std::string text = note(row); !text.empty()) json["note"] = text;
  if (!row.problem.empty()) json["problem"] = row.problem;
  if (row.floor_ms > 0) json["floor"] = {{"name", row.floor}, {"median_ms", row.floor_ms}};
  if (is_counted(test)) {
    json["phases"] = Json::array();
    for (const PhaseTime& phase : row.counted) json["phases"].push_back(object(phase, row, test));
    return json;
  }
  json["measures"] = Json::array();
  for (const Measure& measure : row.measures) json["measures"].push_back(object(measure, row, test));
  return json;
}

std::string percent(double share) { return three_digits(100 * share); }

Json object(const ImageSetResult& group, Test test) {
  Json json{{"dataset", group.dataset}, {"title", group.dataset}};
  json["about"] = fmt::format(
      "{}-connectivity, {} of {} million elements, {} % foreground, {} components",
      static_cast<int>(group.connectivity), app::counted(static_cast<std::size_t>(group.images), "image"),
      three_digits(group.elements / 1e6), percent(group.foreground), std::llround(group.components));
  if (group.extent) {
    json["title"] = fmt::format("random {}, density {} %, granularity {}", io::to_string(*group.extent),
                                percent(group.density), group.granularity);
    json["size"] = {group.extent->width, group.extent->height, group.extent->depth};
    json["density"] = group.density;
    json["granularity"] = group.granularity;
    if (group.axis != Axis::none) json["axis"] = name(group.axis);
  }
  json["connectivity"] = static_cast<int>(group.connectivity);
  json["images"] = group.images;
  json["mean_elements"] = group.elements;
  json["mean_foreground"] = group.foreground;
  json["mean_components"] = group.components;
  json["algorithms"] = Json::array();
  for (const Row& row : group.rows) json["algorithms"].push_back(object(row, test));
  return json;
}

/// Logarithms of the times of an algorithm, one for each set of images.
struct Logs {
  double sum = 0;
  std::size_t sets = 0;
};

/// Returns, for each connectivity, the fastest of the algorithms that were timed on all sets of images, and
/// its speedup over the next.
Json fastest(const Results& results) {
  std::map<Connectivity, std::vector<const ImageSetResult*>> groups;
  for (const ImageSetResult& group : results.groups) groups[group.connectivity].push_back(&group);
  Json all = Json::array();
  for (const auto& [connectivity, sets] : groups) {
    std::map<std::string, Logs> by_title;
    for (const ImageSetResult* group : sets)
      for (const Row& row : group->rows) {
        const Measure* const total = total_of(row);
        if (total == nullptr || total->timing.median_ms <= 0 || total->repetitions < kFewestOfFactor)
          continue;
        Logs& logs = by_title[row.title];
        logs.sum += std::log(total->timing.median_ms);
        ++logs.sets;
      }
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [title, logs] : by_title)
      if (logs.sets == sets.size()) order.emplace_back(logs.sum / static_cast<double>(logs.sets), title);
    if (order.size() < 2) continue;
    std::sort(order.begin(), order.end());
    const double speedup = std::exp(order[1].first - order[0].first);
    const std::string text =
        fmt::format("fastest with {}-connectivity: {}, {} times as fast as {} (geometric mean over {})",
                    static_cast<int>(connectivity), order[0].second, three_digits(speedup), order[1].second,
                    app::counted(sets.size(), "image set"));
    all.push_back({{"algorithm", order[0].second}, {"speedup", speedup}, {"text", text}});
  }
  return all;
}

}  // namespace

Json as_json(const Head& head, const Results& results) {
  Json json{{"program", "gpuccl bench"},
            {"version", head.version},
            {"commit", head.commit},
            {"command", head.command}};
  for (const auto& [entry, value] : head.environment) json["machine"][entry] = value;
  for (const auto& [device, clocks] : results.clocks) {
    json["clocks"][app::device_name(device)] = {{"lowest_mhz", clocks.lowest_mhz},
                                                {"highest_mhz", clocks.highest_mhz},
                                                {"readings", clocks.readings},
                                                {"limited_by", clocks.limited_by}};
    if (const std::string warning = clock_warning(device, clocks); !warning.empty())
      json["warnings"].push_back(warning);
  }
  if (!results.not_measured.empty())
    json["not_measured"] = {{"algorithms", results.not_measured}, {"reason", results.no_gpu}};
  json["test"] = name(results.test);
  if (!results.protocol.empty()) json["protocol"] = results.protocol;
  json["complete"] = results.incomplete.empty();
  if (!results.incomplete.empty()) json["incomplete"] = results.incomplete;
  json["warm_up"] = results.timing.warm_up;
  json["repetitions"] = results.timing.repetitions;
  json["time_limit_s"] = results.timing.limit_s;
  json["rotate"] = results.timing.rotate;
  json["method"] = measurement_notes(results);
  json["fastest"] = fastest(results);
  json["results"] = Json::array();
  for (const ImageSetResult& group : results.groups) json["results"].push_back(object(group, results.test));
  return json;
}

}  // namespace gpuccl::bench
