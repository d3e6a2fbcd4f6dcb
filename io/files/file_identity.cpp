#include "io/files/file_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "io/files/input_file.hpp"

namespace gpuccl::io {
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
