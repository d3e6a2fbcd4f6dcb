#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace gpuccl::io {

/// Looks whether JSON is valid and how deep it is nested, and keeps nothing of it. A callback of the parser
/// itself could look too, but with one it searches all that an object is in at the end of each object.
class JsonDepth {
 public:
  explicit JsonDepth(int deepest) : deepest_(deepest) {}

  bool is_too_deep() const { return depth_ > deepest_; }

  // Callbacks of the parser.
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t) { return true; }
  bool number_unsigned(std::uint64_t) { return true; }
  bool number_float(double, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(nlohmann::json::binary_t&) { return true; }
  bool key(std::string&) { return true; }
  bool start_object(std::size_t) { return ++depth_ <= deepest_; }
  bool start_array(std::size_t) { return ++depth_ <= deepest_; }
  bool end_object() { return --depth_ >= 0; }
  bool end_array() { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

 private:
  int deepest_, depth_ = 0;
};

/// `text` as JSON, in time that is linear; discarded if it is not valid, or nested deeper than `deepest`, of
/// which too_deep() is told first. What copies or writes JSON calls itself for each level.
template <class Json, class TooDeep>
Json parse_flat_json(const std::string& text, int deepest, TooDeep too_deep) {
  JsonDepth depth(deepest);
  if (!Json::sax_parse(text, &depth)) {
    if (depth.is_too_deep()) too_deep();
    return Json(nlohmann::json::value_t::discarded);
  }
  return Json::parse(text, nullptr, false);
}

inline bool is_utf8(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::ignore) ==
         json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace gpuccl::io
