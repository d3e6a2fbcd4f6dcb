#pragma once

#include <string>
#include <string_view>

namespace gpuccl::app {

/// Pages as bundle.cmake makes them of what lies here; data goes in the place of kDataPlace.
extern const std::string_view kViewPage;
extern const std::string_view kBenchPage;
extern const std::string_view kBatchPage;
inline constexpr std::string_view kDataPlace = "@DATA@";

/// The element of a page that holds this JSON, so that no text in it ends the element.
inline std::string data_element(const std::string& id, const std::string& json) {
  std::string text = "<script type=\"application/json\" id=\"" + id + "\">";
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text + "</script>\n";
}

}  // namespace gpuccl::app
