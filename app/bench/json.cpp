#include "io/files/json.hpp"

#include <nlohmann/json.hpp>

#include "app/bench/reports.hpp"
#include "app/bench/results.hpp"
#include "app/common/messages.hpp"

namespace gpuccl::bench {
namespace {

using Json = nlohmann::ordered_json;

Json object(const Measure& measure, const Row& row) {
  Json json{{"name", measure.name}};
  for (const TimingField& field : kTimingFields) json[field.name] = measure.timing.*field.value;
  json["launches"] = measure.launches;
  json["repetitions"] = measure.repetitions;
  if (row.floor_ms > 0) json["multiple_of_floor"] = measure.timing.median_ms / row.floor_ms;
  if (row.cycles_a_ms > 0) json["cycles_per_element"] = cycles_an_element(row, measure.timing.median_ms);
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

Json object(const Row& row, Test test) {
  Json json{{"algorithm", row.algorithm}, {"device", app::device_name(row.device)},
            {"images", row.images},       {"wrong", row.wrong},
            {"failed", row.failed},       {"left_out", row.left_out}};
  if (!row.problem.empty()) json["problem"] = row.problem;
  if (row.floor_ms > 0) json["floor"] = {{"name", row.floor}, {"median_ms", row.floor_ms}};
  if (is_counted(test)) {
    json["phases"] = Json::array();
    for (const PhaseTime& phase : row.counted) json["phases"].push_back(object(phase, row, test));
    return json;
  }
  json["measures"] = Json::array();
  for (const Measure& measure : row.measures) json["measures"].push_back(object(measure, row));
  return json;
}

Json object(const ImageSetResult& group, Test test) {
  Json json{{"dataset", group.dataset}};
  if (group.extent) {
    json["size"] = {group.extent->width, group.extent->height, group.extent->depth};
    json["density"] = group.density;
    json["granularity"] = group.granularity;
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

}  // namespace

std::string as_json(const Head& head, const Results& results) {
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
  json["results"] = Json::array();
  for (const ImageSetResult& group : results.groups) json["results"].push_back(object(group, results.test));
  return io::json_text(json, 2) + "\n";
}

}  // namespace gpuccl::bench
