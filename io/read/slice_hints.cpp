#include "io/read/slice_hints.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "io/files/file_names.hpp"

namespace gpuccl::io {
namespace {

/// Alternative spellings of extensions.
constexpr std::pair<const char*, const char*> kSame[] = {
    {".tif", ".tiff"}, {".jpg", ".jpeg"}, {".pbm", ".pnm"},    {".pgm", ".pnm"}, {".ppm", ".pnm"},
    {".hdf5", ".h5"},  {".he5", ".h5"},   {".nii.gz", ".nii"}, {".mgz", ".mgh"},
};

std::string format_of(const std::string& name) {
  std::string extension = lower_extension(name);
  for (const auto& [one, other] : kSame)
    if (extension == one) extension = other;
  return extension;
}

/// A name by its last number, which the extension's is not.
struct NumberedName {
  std::string before, after;
  std::int64_t number = 0;
};

std::optional<NumberedName> numbered(const std::string& name) {
  constexpr std::ptrdiff_t kMostDigits = 18;  // that fit the number
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const std::string stem = name.substr(0, name.size() - lower_extension(name).size());
  const auto end = std::find_if(stem.rbegin(), stem.rend(), is_digit);
  const auto begin = std::find_if_not(end, stem.rend(), is_digit);
  if (end == begin || begin - end > kMostDigits) return std::nullopt;
  return NumberedName{{stem.begin(), begin.base()},
                      {end.base(), stem.end()},
                      std::stoll(std::string(begin.base(), end.base()))};
}

std::string hint_of_formats(const std::vector<std::string>& names) {
  const std::string first = format_of(names.front());
  const auto other = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return format_of(name) != first; });
  return other == names.end() ? ""
                              : "all images of the folder are slices, including '" + names.front() +
                                    "' and '" + *other + "'; list the right ones in files.txt";
}

/// Numbers may go up by any step, but by the same one.
std::string hint_of_numbers(const std::vector<std::string>& names) {
  std::vector<std::int64_t> numbers;
  std::optional<NumberedName> first;
  for (const std::string& name : names) {
    std::optional<NumberedName> one = numbered(name);
    if (!one || (first && (one->before != first->before || one->after != first->after))) return "";
    numbers.push_back(one->number);
    if (!first) first = std::move(one);
  }
  std::int64_t step = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 1; i < numbers.size(); ++i) step = std::min(step, numbers[i] - numbers[i - 1]);
  if (step <= 0) return "";
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] > step)
      return "after '" + names[i - 1] + "' comes '" + names[i] + "'; check for a missing slice";
  return "";
}

}  // namespace

std::vector<std::string> slice_hints(const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (std::string line : {hint_of_formats(names), hint_of_numbers(names)})
    if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace gpuccl::io
