#include "io/files/file_names.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string lower_extension(const std::filesystem::path& name) {
  std::string extension = lower_case(name.extension().string());
  if (extension != ".gz") return extension;
  const std::string inner = lower_case(name.stem().extension().string());
  return inner == ".nii" || inner == ".mrc" || inner == ".map" ? inner + extension : extension;
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

namespace {

namespace fs = std::filesystem;

FileIdentity identity(const struct stat& status) { return {status.st_dev, status.st_ino, {}}; }

}  // namespace

FileIdentity identify(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return identity(status);

  fs::path folder = path, missing;
  do {
    folder = follow_links(folder).value_or(folder);
    missing = folder.filename() / missing;
    folder = folder.has_parent_path() && folder.parent_path() != folder ? folder.parent_path() : ".";
    if (::stat(folder.c_str(), &status) == 0)
      return {status.st_dev, status.st_ino, missing.lexically_normal().string()};
  } while (folder != ".");
  return {0, 0, path};
}

std::uint64_t bytes_of_regular_file(const std::string& path) {
  struct stat status {};
  const bool is_regular = ::stat(split_input(path).file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return is_regular ? static_cast<std::uint64_t>(status.st_size) : 0;
}

FileIdentity identify_input(const std::string& path) {
  struct stat status {};
  if (path == "-" && ::fstat(STDIN_FILENO, &status) == 0) return identity(status);
  return identify(split_input(path).file);
}

bool are_one_stream(const std::string& a, const std::string& b) {
  if (a == "-" && b == "-") return true;
  struct stat status {};
  const bool is_there = a == "-" ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(a.c_str(), &status) == 0;
  return is_there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) &&
         identify_input(a) == identify_input(b);
}

std::optional<std::filesystem::path> follow_links(
    std::filesystem::path name, const std::function<bool(const std::filesystem::path& name)>& stop) {
  constexpr int kMaxLinks = 40;  // as the kernel
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (stop && stop(name)) return name;
    std::error_code problem;
    const std::filesystem::path target = std::filesystem::read_symlink(name, problem);
    if (problem) return name;  // no link, or a problem that the caller meets on opening it
    name = name.parent_path() / target;
  }
  return std::nullopt;
}

}  // namespace gpuccl::io
