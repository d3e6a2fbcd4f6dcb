#include "app/bench/results.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/common/messages.hpp"
#include "io/files/number_text.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::bench {
namespace {

/// How the measures of this name are taken.
struct NoteOfMeasure {
  const char* name;
  const char* text;
};

constexpr NoteOfMeasure kMeasures[] = {
    {kPreallocated,
     "image to provisional labels, into a label image that exists; GPU: between two events on the stream, "
     "image and labels on the device; CPU: wall clock, final labels of 32 bits, without statistics"},
    {kAllocated, "the same with the allocation of the label image, wall clock"},
    {kNumbered, "GPU: image to final labels, 1 to N in raster order; events"},
    {kStatistics, "area, bounding box and centroid of each component, after the labels are final"},
    {kUpload, "GPU: bits to the GPU, and there to the form that the algorithm reads; events"},
    {kDownload, "GPU: the label image into new memory, wall clock"},
    {kWhole, "image to final labels and statistics in host memory, wall clock"},
    {kHostImage,
     "image in host memory to a 32-bit label image in host memory, all allocations included, without "
     "statistics; wall clock; GPU: provisional labels"},
    {kHostRuns, "the same to one label per run, from which files are written; GPU: with statistics"},
    {kComponents,
     "image to the number of components and the area, bounding box and coordinate sums of each, without a "
     "label image where the algorithm needs none; GPU: events, with the host's wait for the number"},
};

const char* note_of(Test test) {
  switch (test) {
    case Test::steps:
      return "steps are timed separately, which costs time: their sum exceeds the total of --test average";
    case Test::iterations:
      return "each image is labeled once; launches: of the phase that iterates, averaged over the images, "
             "with the last one, which changes nothing; of BorderMerge: levels of tiles";
    case Test::memory:
      return "each image is labeled once by kernels compiled to count; an access is one instruction of one "
             "thread; reads, writes, atomics: of labels and parent pointers in global memory, tile_: in "
             "shared memory; least_bytes: 1 for the image, 4 for a label, 8 for an atomic operation; "
             "multiple_of_floor_bytes: of the 5 bytes per element of the floor";
    case Test::work:
      return "each image is labeled once by kernels compiled to count; mean and most over thread blocks; a "
             "step follows one parent pointer; longest_walk: steps of the slowest thread of a block; "
             "atomics: on parent pointers, in global and shared memory";
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<std::string> measurement_notes(const Results& results) {
  std::vector<std::string> lines = {
      "test: " + name(results.test),
      "checked: labels and statistics of each algorithm on each image equal those of runs on the CPU, else "
      "not timed"};
  if (results.protocol == kTpds2024)
    lines.push_back(
        "protocol tpds2024: 8-connectivity, allocation of the label image included; the figure is min_ms, "
        "averaged over the images");
  if (!results.not_measured.empty()) lines.push_back(describe_left_out(results.not_measured, results.no_gpu));
  if (const char* note = note_of(results.test)) lines.emplace_back(note);
  if (is_counted(results.test) || results.test == Test::iterations) return lines;
  lines.push_back(fmt::format(
      "each image: {} to warm up, then {} (fewer where they take more than {} s); low and high: "
      "5 % and 95 % quantile; all times are averaged over the images; repetitions: the fewest of an image; "
      "one repetition gives no factor",
      app::counted(static_cast<std::uint64_t>(results.timing.warm_up), "labeling"),
      results.timing.repetitions, io::shortest(results.timing.limit_s)));
  std::set<std::string> measures;
  bool has_floor = false;
  for (const ImageSetResult& group : results.groups)
    for (const Row& row : group.rows) {
      for (const Measure& measure : row.measures) measures.insert(measure.name);
      has_floor = has_floor || row.floor_ms > 0;
    }
  for (const NoteOfMeasure& measure : kMeasures)
    if (measures.contains(measure.name)) lines.push_back(measure.name + std::string(": ") + measure.text);
  lines.emplace_back(
      "cycles_per_element: time by clock by cores, of a GPU all at its highest clock, of a CPU one");
  if (!has_floor) return lines;
  lines.emplace_back(
      "floor: reading the input once and writing 4 bytes per element once; gpu-bytes and gpu-bits: on the "
      "GPU, input of 8 or 1 bits per element, events; host-bits: all CPU cores, 1 bit per element, wall "
      "clock");
  lines.emplace_back(results.timing.rotate
                         ? "repetitions cycle through copies of input and labels, so caches are cold"
                         : "repetitions use the same memory, so caches are warm (--rotate avoids it)");
  return lines;
}

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

namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kWordColumns = 3;  // algorithm, device, and name of the measure

/// Returns the number of characters of UTF-8 text.
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

/// Returns rows with columns as wide as their widest cell, words to the left and figures to the right.
std::string aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - letters(row[i]), ' ');
      line += "  " + (i < kWordColumns ? row[i] + padding : padding + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const Json& parts_of(const Json& row) { return row.contains("phases") ? row["phases"] : row["measures"]; }

std::string cell(const Json& part, const std::string& key) {
  if (!part.contains(key)) return "-";
  const Json& value = part[key];
  return value.is_string() ? app::printable(value.get<std::string>()) : three_digits(value.get<double>());
}

}  // namespace

std::string three_digits(double value) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, 6));
}

std::string as_text(const Json& image_set) {
  Cells keys = {"name"};
  std::set<std::string> floors;
  for (const Json& row : image_set["algorithms"]) {
    if (row.contains("floor"))
      floors.insert(fmt::format("  floor {}: {} ms\n", row["floor"]["name"].get<std::string>(),
                                three_digits(row["floor"]["median_ms"].get<double>())));
    for (const Json& part : parts_of(row))
      for (const auto& [key, value] : part.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  std::vector<Cells> rows = {{"algorithm", "device"}};
  rows[0].insert(rows[0].end(), keys.begin(), keys.end());
  for (std::string& title : rows[0]) std::replace(title.begin(), title.end(), '_', ' ');
  for (const Json& row : image_set["algorithms"]) {
    const Cells algorithm = {cell(row, "algorithm"), cell(row, "device")};
    for (const Json& part : parts_of(row)) {
      rows.push_back(algorithm);
      for (const std::string& key : keys) rows.back().push_back(cell(part, key));
    }
    if (row.contains("note")) {
      rows.push_back(algorithm);
      rows.back().push_back(cell(row, "note"));
    }
  }
  std::string text = cell(image_set, "title") + " (" + cell(image_set, "about") + ")\n";
  for (const std::string& floor : floors) text += floor;
  return text + aligned(rows);
}

}  // namespace gpuccl::bench
