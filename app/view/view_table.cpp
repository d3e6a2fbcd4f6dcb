#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "app/options/option_helpers.hpp"
#include "app/view/pages.hpp"
#include "app/view/view_page.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/files/json_field.hpp"
#include "io/files/number_text.hpp"
#include "io/report/csv_tables.hpp"

namespace gpuccl::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
const char* const kNoTable = "is not a table of components; write one with 'gpuccl label --stats'";

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(',', begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size())
    throw Error(ErrorCode::data, "contains '" + std::string(text.substr(0, 40)) + "' instead of a number");
  return number;
}

/// Returns whether --keep can compare the column.
bool is_compared(const std::string& name) {
  try {
    parse_condition(name + " >= 0");
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Returns numbers shuffled: the first bytes of all, then the second bytes, and so on.
template <class Number, class Values>
std::vector<std::uint8_t> shuffled(const Values& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<Number>(values[i]);
    std::uint8_t raw[sizeof(Number)];
    std::memcpy(raw, &number, sizeof number);
    for (std::size_t b = 0; b < sizeof(Number); ++b) bytes[b * values.size() + i] = raw[b];
  }
  return bytes;
}

/// Returns the smallest type for the values: integers exactly, others rounded to 32 bits.
const char* type_of(const std::vector<double>& values) {
  double least = 0, most = 0;
  for (const double value : values) {
    if (value != std::floor(value) || std::isinf(value)) return "f32";
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least >= 0 && most <= std::numeric_limits<std::uint32_t>::max()) return "u32";
  if (least >= std::numeric_limits<std::int32_t>::min() && most <= std::numeric_limits<std::int32_t>::max())
    return "i32";
  return "f64";
}

std::vector<std::uint8_t> bytes_as(const std::string& type, const std::vector<double>& values) {
  if (type == "u32") return shuffled<std::uint32_t>(values);
  if (type == "i32") return shuffled<std::int32_t>(values);
  return type == "f32" ? shuffled<float>(values) : shuffled<double>(values);
}

/// Returns the unit, such as "um^3"; "" for measures in pixels or without a unit.
std::string unit_of(const Measure& measure, const std::string& unit, bool volume) {
  const std::string_view text = measure.unit;
  if (!text.starts_with("unit") || unit.empty()) return "";
  if (text.find("volumes") != std::string_view::npos) return unit + (volume ? "\u00b3" : "\u00b2");
  return unit + (text == "unit^2" ? "\u00b2" : text == "unit^3" ? "\u00b3" : "");
}

nlohmann::json head_of(const std::string& name, const std::string& type, const std::string& unit,
                       bool volume) {
  nlohmann::json head = {{"name", name}, {"type", type}};
  for (const Measure& measure : measures())
    if (measure.name == name.substr(0, name.find('['))) {  // after it the name of an image
      head["definition"] = measure.definition;
      if (const std::string of_it = unit_of(measure, unit, volume); !of_it.empty()) head["unit"] = of_it;
    }
  head["filters"] = is_compared(name);
  return head;
}

}  // namespace

void ViewTable::add_csv(std::string_view piece) {
  std::size_t begin = 0;
  for (std::size_t end; (end = piece.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    if (rest_.empty()) {
      add_line(piece.substr(begin, end - begin));
    } else {
      rest_ += piece.substr(begin, end - begin);
      add_line(std::exchange(rest_, {}));
    }
  }
  rest_ += piece.substr(begin);
  constexpr std::size_t kLongestLine = 1 << 16;
  if (rest_.size() > kLongestLine) throw Error(ErrorCode::data, kNoTable);
}

void ViewTable::end_csv() {
  if (!rest_.empty()) add_line(std::exchange(rest_, {}));
  if (head_.empty()) throw Error(ErrorCode::data, kNoTable);
}

void ViewTable::add_head(std::string_view line) {
  line = io::without_byte_order_mark(line);
  if (!io::is_stats_csv(line)) throw Error(ErrorCode::data, kNoTable);
  if (line.starts_with("file,"))
    throw Error(ErrorCode::data, "is a table of several inputs; write one per input with --stats-dir");
  for (const std::string_view name : fields_of(line)) head_.emplace_back(name);
  for (std::size_t i = 1; i < head_.size(); ++i)
    if (head_[i] != "unit") columns_.push_back({head_[i], {}});
}

void ViewTable::add_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (head_.empty()) return add_head(line);
  if (line.empty()) return;
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() != head_.size())
    throw Error(ErrorCode::data,
                fmt::format("has a row of {} fields, and {} columns", fields.size(), head_.size()));
  const auto area = number_of<double>(fields[1]);
  if (!(area >= 0)) throw Error(ErrorCode::data, kNoTable);
  if (area < least_area_) return;
  labels_.push_back(number_of<std::uint64_t>(fields[0]));
  std::size_t at = 0;
  for (std::size_t i = 1; i < fields.size(); ++i)
    if (head_[i] == "unit")  // um3: lengths are in um
      unit_ = fields[i].substr(0, fields[i].find_last_not_of("23") + 1);
    else
      columns_[at++].values.push_back(fields[i].empty() ? kNone : number_of<double>(fields[i]));
}

void ViewTable::add_component(const std::vector<io::JsonField>& component) {
  const auto refuse = [&] {
    throw Error(ErrorCode::data,
                fmt::format("has component {} with fields that gpuccl does not write", rows() + 1));
  };
  std::map<std::string_view, const io::JsonField*> fields;
  for (const io::JsonField& field : component)
    if (!fields.emplace(field.name, &field).second) refuse();
  const auto find = [&](std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? nullptr : found->second;
  };
  const auto is_number = [&](const io::JsonField* field) {
    return field != nullptr && !field->is_list && field->values.front().is_number();
  };
  const io::JsonField* const label = find("label");
  if (!is_number(label) || !label->values.front().is_number_unsigned() || !is_number(find("area"))) refuse();

  std::size_t at = 0, axes = 0;
  const auto add = [&](const std::string& name, const nlohmann::ordered_json& value) {
    if (!value.is_number() && !value.is_null()) refuse();
    if (labels_.empty()) columns_.push_back({name, {}});
    if (at == columns_.size() || columns_[at].name != name) refuse();
    columns_[at++].values.push_back(value.is_number() ? value.get<double>() : kNone);
  };
  const auto add_number = [&](const io::JsonField& field) {
    if (field.is_list) refuse();
    add(field.name, field.values.front());
  };
  const auto add_place = [&](const io::JsonField& field, bool is_box, const char* after) {
    const std::size_t count = is_box ? field.values.size() / 2 : field.values.size();
    if (axes == 0) axes = count;
    if (!field.is_list || (count != 2 && count != 3) || count != axes ||
        (is_box && field.values.size() % 2 != 0))
      refuse();
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      const std::string axis(1, "xyz"[i % count]);
      add(is_box ? axis + (i < count ? "0" : "1") : "c" + axis + after, field.values[i]);
    }
  };
  // In the order of a table.
  add_number(*find("area"));
  if (const io::JsonField* const box = find("bbox")) add_place(*box, true, "");
  if (const io::JsonField* const centroid = find("centroid")) add_place(*centroid, false, "");
  if (const io::JsonField* const area = find("area_physical")) add_number(*area);
  if (const io::JsonField* const place = find("centroid_physical")) add_place(*place, false, "_physical");
  for (const io::JsonField& field : component)
    if (field.name != "label" && field.name != "area" && field.name != "area_physical" && !field.is_list)
      add_number(field);
  if (at != columns_.size()) refuse();
  labels_.push_back(label->values.front().get<std::uint64_t>());
}

void ViewTable::name_labels(std::span<const std::uint64_t> names) {
  ids_ = labels_;
  for (std::uint64_t& label : labels_) label = names[label - 1];
}

bool ViewTable::has_areas(std::span<const std::uint64_t> names, std::span<const std::uint64_t> areas) const {
  bool are_same = true;
  for (std::size_t row = 0; row < labels_.size(); ++row) {
    const auto place = std::lower_bound(names.begin(), names.end(), labels_[row]);
    if (place == names.end() || *place != labels_[row]) return true;  // pack() refuses it
    const auto area = static_cast<double>(areas[static_cast<std::size_t>(place - names.begin())]);
    are_same &= columns_.front().values[row] == area;
  }
  return are_same;
}

int ViewTable::first_slice(std::span<const std::uint64_t> names, std::span<const Box> boxes) const {
  const auto z0 = std::find_if(columns_.begin(), columns_.end(),
                               [](const Column& column) { return column.name == "z0"; });
  if (z0 == columns_.end() || labels_.empty()) return 0;
  double first = std::numeric_limits<int>::max();  // a periodic component may begin in a later slice
  for (std::size_t row = 0; row < labels_.size(); ++row) {
    const auto place = std::lower_bound(names.begin(), names.end(), labels_[row]);
    if (place == names.end() || *place != labels_[row]) return 0;  // pack() refuses it
    first = std::min(first, z0->values[row] - boxes[static_cast<std::size_t>(place - names.begin())].min[2]);
  }
  return static_cast<int>(first);
}

void ViewTable::keep_largest(std::size_t rows) {
  if (rows >= labels_.size()) return;
  const std::vector<double>& areas = columns_.front().values;
  std::vector<std::size_t> order(labels_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(rows);
  std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return areas[a] != areas[b] ? areas[a] > areas[b] : a < b;
  });
  order.resize(rows);
  std::sort(order.begin(), order.end());
  const auto choose = [&](auto& values) {
    for (std::size_t i = 0; i < rows; ++i) values[i] = values[order[i]];
    values.resize(rows);
  };
  choose(labels_);
  if (!ids_.empty()) choose(ids_);
  for (Column& each : columns_) choose(each.values);
}

ViewTable::Packed ViewTable::pack(std::span<const std::uint64_t> names, bool volume) const {
  const bool are_known = names.empty() || !ids_.empty();
  std::vector<std::uint64_t> ids = ids_.empty() ? labels_ : ids_;
  for (std::uint64_t& id : ids) {
    if (are_known) continue;
    const auto place = std::lower_bound(names.begin(), names.end(), id);
    if (place == names.end() || *place != id)
      throw Error(ErrorCode::data,
                  fmt::format("has a component of label {}, which the label image lacks", id));
    id = static_cast<std::uint64_t>(place - names.begin()) + 1;
  }
  const std::uint64_t largest = labels_.empty() ? 0 : *std::max_element(labels_.begin(), labels_.end());
  const bool is_long = largest > std::numeric_limits<std::uint32_t>::max();
  std::vector<std::vector<std::uint8_t>> parts = {
      shuffled<std::uint32_t>(ids),
      is_long ? shuffled<std::uint64_t>(labels_) : shuffled<std::uint32_t>(labels_)};
  nlohmann::json heads = {{{"name", "id"}, {"type", "u32"}},
                          {{"name", "label"}, {"type", is_long ? "u64" : "u32"}, {"filters", false}}};
  for (const Column& each : columns_) {
    const char* const type = type_of(each.values);
    heads.push_back(head_of(each.name, type, unit_, volume));
    parts.push_back(bytes_as(type, each.values));
  }
  return {packed(parts), io::json_text(heads)};
}

}  // namespace gpuccl::app
