#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "gpuccl/types.hpp"

// Parses numbers and comma-separated lists of numbers in options. Returns none for other text.
namespace gpuccl::app {

/// A number and nothing else; whole ones in decimal, whatever they start with.
template <class T>
std::optional<T> parse_number(const std::string& text) {
  T value{};
  const char* const all = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), all, value);
  if (problem != std::errc{} || end != all) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text, char separator);

/// "640x480" or "64x64x32".
std::optional<Extent> parse_size(const std::string& text);
/// "640x480,64x64x32".
std::optional<std::vector<Extent>> parse_sizes(const std::string& text);

/// "0.1,0.5", and "0:1:0.25" for 0, 0.25, 0.5, 0.75, 1; all between 0 and 1.
std::optional<std::vector<double>> parse_shares(const std::string& text);

/// "1,4", and "1:16" for all from 1 to 16; all positive.
std::optional<std::vector<int>> parse_counts(const std::string& text);

}  // namespace gpuccl::app
