#include "io/files/file_names.hpp"

#include <algorithm>

namespace gpuccl::io {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string lower_extension(const std::filesystem::path& name) {
  const std::string extension = lower_case(name.extension().string());
  return extension == ".gz" && lower_case(name.stem().extension().string()) == ".nii" ? ".nii.gz" : extension;
}

std::string without_extension(const std::filesystem::path& name) {
  const std::string text = name.string();
  return text.substr(0, text.size() - lower_extension(name).size());
}

namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// Cuts the digits at the front off `text` and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a, rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    if (is_digit(rest_a.front()) && is_digit(rest_b.front())) {
      const std::string_view number_a = take_number(rest_a), number_b = take_number(rest_b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
    } else if (rest_a.front() != rest_b.front()) {
      return static_cast<unsigned char>(rest_a.front()) < static_cast<unsigned char>(rest_b.front());
    } else {
      rest_a.remove_prefix(1);
      rest_b.remove_prefix(1);
    }
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  return a < b;  // "z01" and "z1" are equal as numbers
}

}  // namespace gpuccl::io
