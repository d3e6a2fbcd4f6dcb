#include "io/files/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gpuccl/types.hpp"
#include "io/files/json_field.hpp"

namespace gpuccl::io {
namespace {

/// Returns how deep brackets outside strings are nested.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      in_string = !in_string;
    else if (in_string)
      i += c == '\\';
    else if (c == '[' || c == '{')
      deepest = std::max(deepest, ++depth);
    else if (c == ']' || c == '}')
      --depth;
  }
  return deepest;
}

/// Returns text with quotation marks around NaN, Infinity and -Infinity.
std::string with_quoted_numbers(std::string_view text) {
  std::string quoted;
  bool in_string = false;
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    length = in_string && text[i] == '\\' ? 2 : 1;
    bool is_number = false;
    if (text[i] == '"') in_string = !in_string;
    for (const std::string_view number : {"NaN", "Infinity", "-Infinity"}) {
      if (in_string || !text.substr(i).starts_with(number)) continue;
      length = number.size();
      is_number = true;
    }
    const std::string_view part = text.substr(i, length);
    quoted += is_number ? '"' + std::string(part) + '"' : std::string(part);
  }
  return quoted;
}

template <class Json>
Json parse(const std::string& text, int deepest, const std::function<void()>& too_deep) {
  if (depth_of(text) <= deepest) return Json::parse(text, nullptr, false);
  too_deep();
  return Json(nlohmann::json::value_t::discarded);
}

}  // namespace

nlohmann::json parse_json(const std::string& text, int deepest, const std::function<void()>& too_deep) {
  nlohmann::json json = parse<nlohmann::json>(text, deepest, too_deep);
  const bool has_number = text.find("NaN") != std::string::npos || text.find("Infinity") != std::string::npos;
  if (json.is_discarded() && has_number && depth_of(text) <= deepest)
    json = nlohmann::json::parse(with_quoted_numbers(text), nullptr, false);
  return json;
}

nlohmann::ordered_json parse_ordered_json(const std::string& text, int deepest,
                                          const std::function<void()>& too_deep) {
  return parse<nlohmann::ordered_json>(text, deepest, too_deep);
}

namespace {

using Event = nlohmann::ordered_json::parse_event_t;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::data, why); }

/// Callback of a parser for read_json_members().
class MemberFilter {
 public:
  MemberFilter(const std::set<std::string>& wanted, const std::string& list,
               const std::function<void(const std::vector<JsonField>&)>& visit)
      : wanted_(wanted), list_(list), visit_(visit) {}

  /// Returns whether the parser keeps the value.
  bool operator()(int depth, Event event, nlohmann::ordered_json& value) {
    if (depth > kDeepestJson) refuse("is nested too deep");
    if (event == Event::key && depth == 1) {
      member_ = value.get<std::string>();
      return member_ == list_ || wanted_.contains(member_);
    }
    if (depth > 0 && member_ == list_) return add_to_list(depth, event, value);
    constexpr std::size_t kMostValues = std::size_t{1} << 16;
    if (wanted_.contains(member_) && ++values_ > kMostValues) refuse("has more values than a report");
    return true;
  }

 private:
  /// Keeps only the list and the current element of it, both empty.
  bool add_to_list(int depth, Event event, const nlohmann::ordered_json& value) {
    constexpr int kList = 1, kElement = 2, kField = 3, kInField = 4;
    const bool is_list = event == Event::array_start || event == Event::array_end;
    const bool is_object = event == Event::object_start || event == Event::object_end;
    if (depth > kInField ||
        (depth == kList      ? !is_list
         : depth == kElement ? !is_object
                             : is_object) ||
        (depth == kInField && is_list))
      refuse("has " + list_ + " that are no list of objects with numbers");
    if (event == Event::object_start) fields_.clear();
    if (event == Event::key) fields_.push_back({value.get<std::string>()});
    if (event == Event::array_start && depth == kField) fields_.back().is_list = true;
    if (event == Event::value) fields_.back().values.push_back(value);
    if (event == Event::object_end) visit_(fields_);
    return depth == kList || event == Event::object_start || event == Event::array_start;
  }

  const std::set<std::string>& wanted_;
  const std::string& list_;
  const std::function<void(const std::vector<JsonField>&)>& visit_;
  std::string member_;
  std::size_t values_ = 0;
  std::vector<JsonField> fields_;  // of the current element
};

}  // namespace

nlohmann::ordered_json read_json_members(const std::string& text, const std::set<std::string>& wanted,
                                         const std::string& list,
                                         const std::function<void(const std::vector<JsonField>&)>& visit) {
  MemberFilter filter(wanted, list, visit);
  return nlohmann::ordered_json::parse(text, std::ref(filter), false);
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string as_utf8(const std::string& text) {
  return parse_json(json_text(nlohmann::json(text))).get<std::string>();
}

}  // namespace gpuccl::io
