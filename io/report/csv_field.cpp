#include "io/report/csv_field.hpp"

#include <string_view>

namespace gpuccl::io {

std::string harmless_name(const std::string& path) {
  const bool is_formula =
      !path.empty() && std::string_view("=+-@").find(path.front()) != std::string_view::npos;
  return is_formula && path != "-" ? "./" + path : path;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace gpuccl::io
