#include "app/options/option_helpers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string_view>

#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::app {
namespace {

constexpr int kMaxValues = 100000;  // size limit of a range

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

/// Returns all values of a list, whose parts have one or more each.
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
  if (steps < 0 || steps >= kMaxValues) return std::nullopt;
  std::vector<double> values;
  // Rounded, so that 0:1:0.1 gives 0.3 and not 0.30000000000000004.
  for (int i = 0; i <= static_cast<int>(steps); ++i)
    values.push_back(std::round((first + i * step) * 1e9) / 1e9);
  return values;
}

std::optional<std::vector<int>> counts(const std::string& text) {
  const std::optional<std::vector<int>> ends = numbers<int>(text, ':');
  if (!ends || ends->front() < 1 || ends->size() > 2) return std::nullopt;
  if (ends->back() < ends->front() || ends->back() - ends->front() >= kMaxValues) return std::nullopt;
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

std::optional<std::string> joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return words.empty() ? std::nullopt : std::optional(text);
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

NamePattern::NamePattern(const std::string& pattern) {
  const std::size_t equals = pattern.find('=');
  if (equals != std::string::npos) from_ = pattern.substr(0, equals);
  if (!pattern.empty()) to_ = equals == std::string::npos ? pattern : pattern.substr(equals + 1);
}

std::string NamePattern::problem_with(const std::string& pattern) {
  const std::size_t equals = pattern.find('=');
  const auto is_side = [](const std::string& side) {
    return std::count(side.begin(), side.end(), '*') == 1 && side.find_first_of("/=") == std::string::npos;
  };
  const bool is_good = is_side(pattern.substr(0, equals)) &&
                       (equals == std::string::npos || is_side(pattern.substr(equals + 1)));
  return is_good ? std::string()
                 : "'" + pattern + "' is not a pattern such as *_0000 or *_D=*_F, with one * each";
}

std::optional<std::string> NamePattern::made(const std::string& path, const std::string& from,
                                             std::string to) {
  const std::string folder = path.substr(0, path.rfind('/') + 1), name = path.substr(folder.size());
  const std::size_t star = from.find('*'), after = from.size() - star - 1;
  if (name.size() < from.size() - 1 || !name.starts_with(from.substr(0, star)) ||
      !name.ends_with(from.substr(star + 1)))
    return std::nullopt;
  return folder + to.replace(to.find('*'), 1, name.substr(star, name.size() - star - after));
}

std::string wrong_path(const std::string& given) {
  if (given.empty()) return "a name is missing";
  if (given.size() > 1 && given.front() == '-')
    return "'" + given + "' looks like an option; for a file of that name use ./" + given;
  return {};
}

std::string wrong_file(const std::string& given) {
  if (given == "-") return "cannot go to standard output; for a file called - use ./-";
  return wrong_path(given);
}

std::string wrong_folder(const std::string& given) {
  if (given == "-") return "is a folder, not a stream; for one called - use ./-";
  return wrong_path(given);
}

namespace {

/// Returns at most 2^60, so that sums of amounts fit 64 bits: larger ones are no limits.
std::optional<std::int64_t> parse_amount(std::string_view text) {
  constexpr std::int64_t kMax = std::int64_t{1} << 60;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc::result_out_of_range && !text.starts_with('-'))
    number = kMax;
  else if (problem != std::errc{} || number < 1)
    return std::nullopt;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty()) return std::min(number, kMax);

  const std::string unit = io::lower_case(std::string(suffix));
  const std::size_t power = std::string_view("kmgt").find(unit[0]);
  const std::string rest = unit.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) return std::nullopt;
  const std::int64_t factor = std::int64_t{1} << (10 * (power + 1));
  return number > kMax / factor ? kMax : number * factor;
}

/// Tables and reports can be streams; pages are files.
std::string wrong_text_path(const std::string& given, const std::string& format) {
  constexpr std::string_view kOthers[] = {".csv", ".tsv",  ".json", ".jsonl",  ".html",
                                          ".xls", ".xlsx", ".ods",  ".parquet"};
  if (given == "-" && format == "html") return wrong_file(given);
  const std::filesystem::path name = std::filesystem::path(given).filename();
  if (io::is_image_name(name))
    return "'" + given + "' is the name of an image, but the output is text; use another extension";
  const std::string extension = io::lower_extension(name);
  if (std::find(std::begin(kOthers), std::end(kOthers), extension) != std::end(kOthers) &&
      !extension.starts_with("." + format))
    return "'" + given + "' has the wrong extension; use ." + format;
  return wrong_path(given);
}

}  // namespace

Option add_switch(const Command& command, const std::string& names, bool& target, const std::string& help) {
  return command
      .add_flag(
          names, [&target] { target = true; }, help)
      .prints([&] { return switch_text(target); });
}

Option add_path(const Command& command, const std::string& names, const GivenPath& target,
                const std::string& type, const std::string& help,
                std::function<std::string(const std::string& given)> wrong) {
  return command
      .add_value(names, type, help,
                 [set = target.set, wrong = std::move(wrong)](const std::string& given) {
                   set(given);
                   return wrong(given);
                 })
      .prints([get = target.get]() -> std::optional<std::string> {
        const std::string path = get();
        return path.empty() ? std::nullopt : std::optional(path);
      });
}

Option add_text_path(const Command& command, const std::string& names, const GivenPath& target,
                     const std::string& format, const std::string& help) {
  return add_path(command, names, target, "FILE", help,
                  [format](const std::string& given) { return wrong_text_path(given, format); });
}

Option add_real(const Command& command, const std::string& names, double& target, double most,
                const std::string& type, const std::string& help) {
  return command
      .add_value(names, type, help,
                 [&target, most](const std::string& given) {
                   const std::optional<double> number = parse_number<double>(given);
                   if (!number || !(*number >= 0 && *number <= most))
                     return "'" + given + "' is not a number from 0 to " + std::to_string(std::llround(most));
                   target = *number;
                   return std::string();
                 })
      .prints([&] { return io::shortest(target); });
}

Option add_amount(const Command& command, const std::string& names, std::int64_t& target,
                  const std::string& help) {
  return command
      .add_value(names, "SIZE", help,
                 [&target](const std::string& given) {
                   const std::optional<std::int64_t> amount = parse_amount(given);
                   if (!amount) return "'" + given + "' is not a size such as 500, 64K, 2M, 4G";
                   target = *amount;
                   return std::string();
                 })
      .prints([&] { return std::to_string(target); });
}

void OutputOptions::add_to(const Command& command) {
  const Option overwrite =
      add_switch(command, "--overwrite", replace_foreign,
                 "Replace existing outputs, also tables and reports that gpuccl did not write");
  command
      .add_flag(
          "--no-clobber", [this] { file.overwrite = false; }, "Refuse to replace existing outputs")
      .excludes(overwrite)
      .prints([this] { return switch_text(!file.overwrite); });
  command
      .add_flag(
          "--no-fsync", [this] { file.sync = false; },
          "Do not wait until outputs are on disk: faster, but a power cut may lose them")
      .prints([this] { return switch_text(!file.sync); });
}

}  // namespace gpuccl::app
