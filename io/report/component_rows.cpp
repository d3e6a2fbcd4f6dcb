#include "io/report/component_rows.hpp"

#include <bit>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

TextSink text_to(int descriptor) {
  return [descriptor](std::string_view text) { write_all(descriptor, text.data(), text.size()); };
}

char* put_value(char* out, ValueType type, ValueBits value, std::string_view infinite) {
  if (is_floating(type)) {
    const auto number = std::bit_cast<double>(value);
    return std::isfinite(number) || infinite.empty() ? put_shortest(out, number) : put_text(out, infinite);
  }
  char* const end = out + kDecimalRoom;
  return is_signed(type) ? std::to_chars(out, end, static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(out, end, value).ptr;
}

std::string value_text(const ValueColumn& value, std::size_t component, std::string_view infinite) {
  char text[kDecimalRoom];
  return {text, put_value(text, value.type, value.values[component], infinite)};
}

std::string label_text(const ValueColumn& value, std::size_t component, std::uint64_t first) {
  if (!value.labels.empty()) return std::to_string(value.labels[component]);
  return value.are_labels ? value_text(value, component, "null") : std::to_string(first + component + 1);
}

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
