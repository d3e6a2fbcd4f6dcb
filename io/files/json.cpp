#include "io/files/json.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

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

bool has_other_number(const std::string& text) {
  return text.find("NaN") != std::string::npos || text.find("Infinity") != std::string::npos;
}

/// Returns text with quotation marks around NaN, Infinity and -Infinity, and `mark` after the first.
std::string with_quoted_numbers(std::string_view text, const std::string& mark = "") {
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
    quoted += is_number ? '"' + mark + std::string(part) + '"' : std::string(part);
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
  if (json.is_discarded() && has_other_number(text) && depth_of(text) <= deepest)
    json = nlohmann::json::parse(with_quoted_numbers(text), nullptr, false);
  return json;
}

namespace {

// Numbers that nlohmann::json cannot hold, such as NaN or one of 30 digits, are strings that begin with this,
// which no program writes, until they are text again.
constexpr std::string_view kNumber{"\0number ", 8};
constexpr std::string_view kNumberInText = "\"\\u0000number ";

/// Builds a value in the order of its text. The parser of ordered_json looks for each name among those
/// before, which takes time quadratic in their number.
class OrderedBuilder final : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  using Json = nlohmann::ordered_json;

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    const bool is_whole = text.find_first_of(".eE") == std::string::npos;
    return is_whole ? add(std::string(kNumber) + text) : add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*count*/) override { return start(Json::object()); }
  bool start_array(std::size_t /*count*/) override { return start(Json::array()); }
  bool key(string_t& name) override {
    name_ = std::move(name);
    return true;
  }
  bool end_object() override {
    keep_last(*open_.back()->get_ptr<Json::object_t*>());
    return end_array();
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  /// Adds a value to the innermost container, whose containers stay where they are meanwhile.
  template <class Value>
  bool add(Value&& value) {
    if (open_.empty())
      root_ = std::forward<Value>(value);
    else if (open_.back()->is_array())
      open_.back()->push_back(std::forward<Value>(value));
    else
      open_.back()->get_ptr<Json::object_t*>()->emplace_back(std::move(name_), std::forward<Value>(value));
    return true;
  }
  bool start(Json container) {
    Json* const outer = open_.empty() ? nullptr : open_.back();
    add(std::move(container));
    open_.push_back(outer == nullptr    ? &root_
                    : outer->is_array() ? &outer->back()
                                        : &outer->get_ptr<Json::object_t*>()->back().second);
    return true;
  }
  /// The last value of members with the same name counts, at the place of the first.
  static void keep_last(Json::object_t& object) {
    std::map<std::string_view, std::size_t> places;
    bool is_any_twice = false;
    for (std::size_t i = 0; i < object.size(); ++i)
      is_any_twice |= !places.emplace(object.begin()[static_cast<std::ptrdiff_t>(i)].first, i).second;
    if (!is_any_twice) return;
    Json::object_t once;
    std::map<std::string, std::size_t> kept;
    for (auto& [name, value] : object) {
      const auto [place, is_new] = kept.emplace(name, once.size());
      if (is_new)
        once.emplace_back(name, std::move(value));
      else
        once.begin()[static_cast<std::ptrdiff_t>(place->second)].second = std::move(value);
    }
    object = std::move(once);
  }

  Json root_{nlohmann::detail::value_t::discarded};
  std::vector<Json*> open_;  // containers, from the outermost on
  std::string name_;
};

nlohmann::ordered_json build(const std::string& text) {
  OrderedBuilder builder;
  if (!nlohmann::ordered_json::sax_parse(text, &builder))
    return nlohmann::ordered_json(nlohmann::detail::value_t::discarded);
  return builder.take();
}

}  // namespace

nlohmann::ordered_json parse_ordered_json(const std::string& text, int deepest,
                                          const std::function<void()>& too_deep) {
  if (depth_of(text) > deepest) {
    too_deep();
    return nlohmann::ordered_json(nlohmann::detail::value_t::discarded);
  }
  nlohmann::ordered_json json = build(text);
  return json.is_discarded() && has_other_number(text) ? build(with_quoted_numbers(text, "\\u0000number "))
                                                       : json;
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
    // Each string is copied several times. Elements of the list come and go.
    constexpr std::size_t kMaxText = std::size_t{1} << 22;
    const bool is_in_list = depth > 0 && member_ == list_;
    if (const auto* const string = value.get_ptr<const std::string*>();
        string != nullptr &&
        (string->size() > kMaxText || (!is_in_list && (text_ += string->size()) > kMaxText)))
      refuse("has more text than a report");
    if (is_in_list) return add_to_list(depth, event, value);
    constexpr std::size_t kMaxValues = std::size_t{1} << 16;
    if (wanted_.contains(member_) && ++values_ > kMaxValues) refuse("has more values than a report");
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
  std::size_t values_ = 0, text_ = 0;
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
  std::string text = json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (text.find(kNumberInText) == std::string::npos) return text;
  std::string numbers;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(kNumberInText, from)) != std::string::npos;) {
    const std::size_t begin = at + kNumberInText.size(),
                      end = text.find_first_not_of("-0123456789NaInfity", begin);
    const bool is_number = end != std::string::npos && end > begin && text[end] == '"';  // or text of others
    numbers.append(text, from, is_number ? at - from : begin - from);
    if (is_number) numbers.append(text, begin, end - begin);
    from = is_number ? end + 1 : begin;
  }
  return numbers.append(text, from);
}

std::string as_utf8(const std::string& text) {
  return parse_json(json_text(nlohmann::json(text))).get<std::string>();
}

}  // namespace gpuccl::io
