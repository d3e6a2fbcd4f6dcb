#include "app/options/number_lists.hpp"

#include <cmath>

namespace gpuccl::app {
namespace {

constexpr int kMostValues = 100000;  // of a range

template <class T>
std::optional<std::vector<T>> numbers(const std::string& text, char separator) {
  std::vector<T> values;
  for (const std::string& part : split(text, separator)) {
    const std::optional<T> value = parse_number<T>(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// All parts of a list, each made of one or more values.
template <class T, class Parse>
std::optional<std::vector<T>> list(const std::string& text, Parse parse) {
  std::vector<T> all;
  for (const std::string& part : split(text, ',')) {
    const std::optional<std::vector<T>> values = parse(part);
    if (!values) return std::nullopt;
    all.insert(all.end(), values->begin(), values->end());
  }
  return all;
}

std::optional<std::vector<Extent>> size(const std::string& text) {
  const std::optional<Extent> extent = parse_size(text);
  return extent ? std::optional(std::vector<Extent>{*extent}) : std::nullopt;
}

bool is_share(double value) { return value >= 0 && value <= 1; }

std::optional<std::vector<double>> shares(const std::string& text) {
  std::optional<std::vector<double>> ends = numbers<double>(text, ':');
  if (!ends || !is_share(ends->front())) return std::nullopt;
  if (ends->size() == 1) return ends;
  if (ends->size() != 3 || !is_share((*ends)[1]) || !((*ends)[2] > 0)) return std::nullopt;
  const double first = (*ends)[0], last = (*ends)[1], step = (*ends)[2];
  const double steps = std::floor((last - first) / step + 1e-9);
  if (steps < 0 || steps >= kMostValues) return std::nullopt;
  std::vector<double> values;
  // Rounded, so that 0:1:0.1 gives 0.3 and not 0.30000000000000004.
  for (int i = 0; i <= static_cast<int>(steps); ++i)
    values.push_back(std::round((first + i * step) * 1e9) / 1e9);
  return values;
}

std::optional<std::vector<int>> counts(const std::string& text) {
  const std::optional<std::vector<int>> ends = numbers<int>(text, ':');
  if (!ends || ends->front() < 1 || ends->size() > 2) return std::nullopt;
  if (ends->back() < ends->front() || ends->back() - ends->front() >= kMostValues) return std::nullopt;
  std::vector<int> values;
  for (int value = ends->front(); value <= ends->back(); ++value) values.push_back(value);
  return values;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts = {""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<Extent> parse_size(const std::string& text) {
  const std::optional<std::vector<int>> axes = numbers<int>(text, 'x');
  if (!axes || axes->size() < 2 || axes->size() > 3) return std::nullopt;
  for (const int axis : *axes)
    if (axis < 1) return std::nullopt;
  return Extent{(*axes)[0], (*axes)[1], axes->size() == 3 ? (*axes)[2] : 1};
}

std::optional<std::vector<Extent>> parse_sizes(const std::string& text) { return list<Extent>(text, size); }
std::optional<std::vector<double>> parse_shares(const std::string& text) {
  return list<double>(text, shares);
}
std::optional<std::vector<int>> parse_counts(const std::string& text) { return list<int>(text, counts); }

}  // namespace gpuccl::app
