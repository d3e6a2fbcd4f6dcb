#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

// The parsers and writers of JSON are compiled here alone: each takes a second or more.
namespace gpuccl::io {

/// Nesting of objects and lists that is read. Functions that copy or write JSON call themselves for each
/// level.
inline constexpr int kDeepestJson = 64;

/// Returns the value of JSON text. The value is discarded if the text is not valid, or nested deeper than
/// `deepest`; then `too_deep` is called first. Takes time proportional to the length of the text. NaN,
/// Infinity and -Infinity, which Python writes and JSON does not have, are read as strings.
nlohmann::json parse_json(
    const std::string& text, int deepest = kDeepestJson, const std::function<void()>& too_deep = [] {});

/// As parse_json(), but members keep their order, and json_text() writes these numbers, and integers of more
/// than 64 bits, as they were.
nlohmann::ordered_json parse_ordered_json(
    const std::string& text, int deepest = kDeepestJson, const std::function<void()>& too_deep = [] {});

/// Member of an object that read_json_members() passes on: a number, text or null, or a list of these.
struct JsonField;

/// Reads the object in JSON text of another program. Returns its members `wanted`. Passes the fields of each
/// element of the member `list` to `visit` and keeps none, so that memory does not depend on their number.
/// The result is discarded if the text is not valid. Throws Error (data) if it is nested too deep, if the
/// list has other elements, or if the members have more values than those of any report.
nlohmann::ordered_json read_json_members(const std::string& text, const std::set<std::string>& wanted,
                                         const std::string& list,
                                         const std::function<void(const std::vector<JsonField>&)>& visit);

/// Returns JSON text in one line, or in several with `indent` blanks per level. Bytes that are not UTF-8
/// become replacement characters.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

/// Returns `text` with a replacement character for each sequence of bytes that is not UTF-8: paths as JSON
/// has them.
std::string as_utf8(const std::string& text);

inline bool is_utf8(const std::string& text) { return as_utf8(text) == text; }

}  // namespace gpuccl::io
