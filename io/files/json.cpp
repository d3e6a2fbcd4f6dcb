#include "io/files/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

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
