#include "io/report/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "gpuccl/version.hpp"
#include "io/files/json.hpp"

namespace gpuccl::io {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Rounds milliseconds to microseconds, the resolution of the clock.
double rounded(double milliseconds) { return std::round(milliseconds * 1000) / 1000; }

OrderedJson numbers_of(const Vector3& vector) { return {vector[0], vector[1], vector[2]}; }

const char* name_of(WorldSpace space) {
  constexpr const char* kNames[] = {nullptr,       "LPS",          "RAS",        "LAS",
                                    "scanner-xyz", "right-handed", "left-handed"};
  return kNames[static_cast<std::size_t>(space)];
}

OrderedJson geometry_of(const Geometry& geometry) {
  OrderedJson spacing = OrderedJson::array();
  bool is_known = geometry.orientation.has_value();
  for (const double length : geometry.spacing) {
    spacing.push_back(is_spacing(length) ? OrderedJson(length) : OrderedJson());
    is_known = is_known || is_spacing(length);
  }
  if (!is_known) return nullptr;
  OrderedJson json = {
      {"spacing", std::move(spacing)},
      {"unit", geometry.unit == LengthUnit::unknown ? OrderedJson() : OrderedJson(name_of(geometry.unit))},
      {"origin", nullptr},
      {"directions", nullptr},
      {"space", nullptr}};
  if (const std::optional<Orientation>& orientation = geometry.orientation) {
    json["origin"] = numbers_of(orientation->origin);
    json["directions"] = OrderedJson::array();
    for (const Vector3& step : orientation->steps) json["directions"].push_back(numbers_of(step));
    if (const char* space = name_of(orientation->space)) json["space"] = space;
  }
  return json;
}

OrderedJson input_of(const Report& report) {
  const ImageInfo& input = report.input;
  OrderedJson json = {{"path", input.path},
                      {"bytes", report.input_bytes > 0 ? OrderedJson(report.input_bytes) : OrderedJson()},
                      {"format", input.format},
                      {"width", input.extent.width},
                      {"height", input.extent.height},
                      {"depth", input.extent.depth},
                      {"bits_per_sample", input.bits_per_sample},
                      {"geometry", geometry_of(input.geometry)},
                      {"photometric", input.photometric}};
  if (!report.input_state.empty()) json["state"] = report.input_state;
  if (!input.value_rule.empty()) json["value_rule"] = input.value_rule;
  json["checksums"] = input.checksums;
  json["foreground_rule"] = input.foreground_rule;
  json["foreground"] = report.foreground;
  return json;
}

/// Returns null without an image, an object for a single one, else an array of objects with names.
OrderedJson intensity_of(const Report& report) {
  OrderedJson all = OrderedJson::array();
  for (const ReportedIntensity& one : report.intensities) {
    OrderedJson json = OrderedJson::object();
    if (!one.name.empty()) json["name"] = one.name;
    json["path"] = one.image.path;
    json["bytes"] = one.bytes > 0 ? OrderedJson(one.bytes) : OrderedJson();
    json["format"] = one.image.format;
    json["bits_per_sample"] = one.image.bits_per_sample;
    if (!one.state.empty()) json["state"] = one.state;
    if (!one.image.value_rule.empty()) json["value_rule"] = one.image.value_rule;
    json["nans"] = one.nans;
    if (one.name.empty()) return json;
    all.push_back(std::move(json));
  }
  return all.empty() ? OrderedJson() : all;
}

OrderedJson holes_of(const Report& report) {
  if (!report.holes) return nullptr;
  return {{"filled", report.holes->count}, {"elements", report.holes->elements}};
}

OrderedJson labeling_of(const Report& report) {
  return {{"algorithm", report.algorithm},
          {"connectivity", report.connectivity},
          {"periodic", report.periodic},
          {"device",
           {{"kind", report.device_kind},
            {"name", report.device_name},
            {"gpus", report.gpus},
            {"sandbox", report.sandbox.empty() ? OrderedJson() : OrderedJson(report.sandbox)}}},
          {"components", report.components},
          {"holes", holes_of(report)},
          {"dropped", report.dropped},
          {"label_type", report.label_type.empty() ? OrderedJson() : OrderedJson(report.label_type)},
          {"order", report.order}};
}

OrderedJson file_of(const ReportedFile& file) {
  if (file.path.empty()) return nullptr;
  OrderedJson json = {{"path", file.path},
                      {"bytes", file.bytes > 0 ? OrderedJson(file.bytes) : OrderedJson()}};
  if (!file.state.empty()) json["state"] = file.state;
  return json;
}

OrderedJson timings_of(const Report& report) {
  OrderedJson phases = OrderedJson::array();
  for (const PhaseTime& time : report.phases)
    phases.push_back({{"name", time.phase}, {"ms", rounded(time.milliseconds)}, {"launches", time.launches}});
  return {{"total", rounded(report.total_ms)},
          {"start_up", rounded(report.start_up_ms)},
          {"read", rounded(report.read_ms)},
          {"fill_holes", rounded(report.holes ? report.holes->milliseconds : 0)},
          {"label", rounded(report.label_ms)},
          {"phases", std::move(phases)},
          {"statistics", rounded(report.statistics_ms)},
          {"write", rounded(report.write_ms)}};
}

/// Returns everything but the components, without the closing brace. Paths need not be UTF-8; JSON must be.
std::string head(const Report& report) {
  OrderedJson json = {{"gpuccl", GPUCCL_VERSION},
                      {"options", report.options},
                      {"input", input_of(report)},
                      {"intensity", intensity_of(report)},
                      {"labeling", labeling_of(report)},
                      {"output", file_of(report.output)},
                      {"preview", file_of(report.preview)},
                      {"stats", file_of(report.stats)},
                      {"contacts", file_of(report.contacts)},
                      {"hints", report.hints},
                      {"timings_ms", timings_of(report)}};
  if (!report.seeds.path.empty()) json["seeds"] = file_of(report.seeds);
  if (!report.outlines.path.empty()) json["outlines"] = file_of(report.outlines);
  std::string text = json_text(json, 2);
  text.resize(text.rfind("\n}"));
  return text;
}

constexpr RowStyle kJsonRow{.before_label = "\n{\"label\":",
                            .before_value = ",\"value\":",
                            .before_area = ",\"area\":",
                            .before_box = ",\"bbox\":[",
                            .before_centroid = "],\"centroid\":[",
                            .before_physical_area = "],\"area_physical\":",
                            .before_physical_centroid = ",\"centroid_physical\":[",
                            .after_centroids = "]",
                            .end = "}",
                            .between = ",",
                            .names_measures = true,
                            .missing = "null"};

/// Writes a table in the form of the components: totals of each value.
void put_values(const TextSink& sink, ValueType type, const std::vector<OfValue>& values) {
  sink(",\n  \"values\": [");
  std::string between = "\n";
  for (const OfValue& of_value : values) {
    char number[kDecimalRoom];
    const std::string_view word(
        number, static_cast<std::size_t>(put_value(number, type, of_value.value, kJsonRow.missing) - number));
    sink(fmt::format(R"({}{{"value":{},"components":{},"elements":{},"largest":{}}})", between, word,
                     of_value.components, of_value.elements, of_value.largest));
    between = ",\n";
  }
  sink(values.empty() ? "]" : "\n  ]");
}

}  // namespace

void stream_report(const TextSink& out, const Report& report, const Components& components,
                   const MeasureTable& measured, const TableSection& stretch) {
  std::string waiting;  // small pieces, which are written together
  const TextSink sink = [&](std::string_view text) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;
    if (waiting.size() + text.size() > kAtOnce) out(std::exchange(waiting, {}));
    text.size() > kAtOnce ? out(text) : static_cast<void>(waiting += text);
  };
  const bool lists = report.lists_components;
  if (stretch.begins) sink(head(report) + (lists ? ",\n  \"components\": [" : ""));
  const int axes = report.volume ? 3 : 2;
  if (lists)
    stream_rows<kJsonRow>(
        {.components = components,
         .axes = axes,
         .scale = physical_scale(report.input.geometry, axes),
         .measured = &measured,
         .columns = measured.any() ? measured.table_columns() : std::vector<MeasureColumn>(),
         .first = stretch.first,
         .value = report.value,
         .first_slice = report.input.geometry.first_slice},
        sink);
  if (!stretch.ends) return out(waiting);
  if (lists) sink(report.components > 0 ? "\n  ]" : "]");
  if (report.values) put_values(sink, report.value.type, *report.values);
  out(waiting + "\n}\n");
}

bool is_report(std::string_view beginning) { return beginning.starts_with("{\"gpuccl\":\""); }

namespace {

/// Returns a key that sorts values of the type as numbers.
ValueBits rank(ValueType type, ValueBits value) {
  constexpr ValueBits kSign = ValueBits{1} << 63;
  if (is_floating(type)) return (value & kSign) != 0 ? ~value : value | kSign;
  return is_signed(type) ? value ^ kSign : value;
}

void add(OfValue& sum, const OfValue& more) {
  sum.value = more.value;
  sum.components += more.components;
  sum.elements += more.elements;
  sum.largest = std::max(sum.largest, more.largest);
}

class Sums {
 public:
  void add(const OfValue& more) { io::add(sums_[more.value], more); }
  std::size_t size() const { return sums_.size(); }

  std::vector<OfValue> sorted(ValueType type) const {
    std::vector<OfValue> all;
    all.reserve(sums_.size());
    for (const auto& [value, sum] : sums_) all.push_back(sum);
    std::sort(all.begin(), all.end(), [type](const OfValue& a, const OfValue& b) {
      return rank(type, a.value) < rank(type, b.value);
    });
    return all;
  }

 private:
  std::unordered_map<ValueBits, OfValue> sums_;
};

/// Sums up nearly as many values as components. A hash table would take several times the memory of the sums.
std::vector<OfValue> sum_up_many(const ValueColumn& column, const Components& components) {
  std::vector<Label> order(components.size());
  std::iota(order.begin(), order.end(), Label{0});
  std::sort(order.begin(), order.end(), [&](Label a, Label b) {
    return rank(column.type, column.values[a]) < rank(column.type, column.values[b]);
  });
  const auto begins = [&](std::size_t i) {
    return i == 0 || column.values[order[i]] != column.values[order[i - 1]];
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) count += begins(i) ? 1 : 0;
  std::vector<OfValue> sums;
  sums.reserve(count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (begins(i)) sums.emplace_back();
    const std::uint64_t area = components.area[order[i]];
    add(sums.back(), {column.values[order[i]], 1, area, area});
  }
  return sums;
}

}  // namespace

std::vector<OfValue> sum_up_values(const ValueColumn& column, const Components& components) {
  constexpr std::size_t kFew = 1 << 16;
  Sums sums;
  for (std::size_t i = 0; i < components.size(); ++i) {
    sums.add({column.values[i], 1, components.area[i], components.area[i]});
    if (sums.size() > kFew) return sum_up_many(column, components);
  }
  return sums.sorted(column.type);
}

std::vector<OfValue> sum_up_values(ValueType type, const std::vector<OfValue>& all) {
  Sums sums;
  for (const OfValue& one : all) sums.add(one);
  return sums.sorted(type);
}

}  // namespace gpuccl::io
