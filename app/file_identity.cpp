#include "app/file_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

FileIdentity identity(const struct stat& status) { return {status.st_dev, status.st_ino, {}}; }

/// Where a chain of symbolic links to nothing would create its file.
fs::path follow_dangling(fs::path path) {
  constexpr int kMaxLinks = 40;  // as the kernel's own limit
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code problem;
    const fs::path target = fs::read_symlink(path, problem);
    if (problem) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

}  // namespace

FileIdentity identify(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return identity(status);

  fs::path folder = path, missing;
  do {
    folder = follow_dangling(folder);
    missing = folder.filename() / missing;
    folder = folder.has_parent_path() && folder.parent_path() != folder ? folder.parent_path() : ".";
    if (::stat(folder.c_str(), &status) == 0)
      return {status.st_dev, status.st_ino, missing.lexically_normal().string()};
  } while (folder != ".");
  return {0, 0, path};
}

FileIdentity identify_input(const std::string& path) {
  struct stat status {};
  if (path == "-" && ::fstat(STDIN_FILENO, &status) == 0) return identity(status);
  return identify(path);
}

}  // namespace gpuccl::app
