#include "io/files/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace gpuccl::io {

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::optional<std::vector<double>> numbers_in(std::string_view text) {
  constexpr std::string_view kBetween = " \t,()";
  std::vector<double> numbers;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBetween, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    if (text[at] == '+') ++at;
    double number = 0;
    const auto [last, problem] = std::from_chars(text.data() + at, text.data() + end, number);
    if (problem != std::errc() || last != text.data() + end) return std::nullopt;
    numbers.push_back(number);
    at = end;
  }
  return numbers;
}

std::vector<std::string> words_in(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

std::string bytes_in_words(double bytes) {
  if (bytes < 1 << 14) return std::to_string(std::llround(std::ceil(bytes))) + " bytes";
  const bool is_large = bytes > 1 << 20;
  return std::to_string(std::llround(std::ceil(bytes / (is_large ? 1 << 20 : 1 << 10)))) +
         (is_large ? " MiB" : " KiB");
}

}  // namespace gpuccl::io
