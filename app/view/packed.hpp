#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuccl::app {

/// Pages that bundle.cmake makes from the files of this folder. Data replaces kDataPlace.
extern const std::string_view kViewPage;
extern const std::string_view kBenchPage;
extern const std::string_view kBatchPage;
inline constexpr std::string_view kDataPlace = "@DATA@";

/// Returns the element of a page that contains this JSON, escaped: no text in it ends the element.
inline std::string data_element(const std::string& id, const std::string& json) {
  std::string text = "<script type=\"application/json\" id=\"" + id + "\">";
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text + "</script>\n";
}

std::string base64(std::string_view bytes);
/// Base64 of a zlib stream of these bytes: what a page inflates (docs/view.md).
std::string packed(std::span<const std::uint8_t> bytes);
/// Packs several parts, in parallel.
std::vector<std::string> packed(const std::vector<std::vector<std::uint8_t>>& parts);

std::size_t bytes_of(const std::vector<std::string>& lines);

}  // namespace gpuccl::app
