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

template <class Json>
Json parse(const std::string& text, int deepest, const std::function<void()>& too_deep) {
  if (depth_of(text) <= deepest) return Json::parse(text, nullptr, false);
  too_deep();
  return Json(nlohmann::json::value_t::discarded);
}

}  // namespace

nlohmann::json parse_json(const std::string& text, int deepest, const std::function<void()>& too_deep) {
  return parse<nlohmann::json>(text, deepest, too_deep);
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
