#include "io/files/available_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

/// The number after `key` in a file of "key number" lines; without a key, the number that is the whole file.
std::optional<std::int64_t> number_in(const fs::path& file, const std::string& key) {
  std::ifstream lines(file);
  std::string word;
  std::int64_t number = 0;
  if (key.empty()) return lines >> number ? std::optional(number) : std::nullopt;
  while (lines >> word)
    if (word == key) return lines >> number ? std::optional(number) : std::nullopt;
  return std::nullopt;
}

/// The files in which a version of control groups says what is allowed and used.
struct GroupFiles {
  const char* root;
  const char* limit;
  const char* used;
  const char* cache;  // in memory.stat: pages of files that are dropped when memory is short
};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};

/// The least that this group and those around it leave; "max" is not a number, so no limit.
std::int64_t left_in_group(const GroupFiles& files, const std::string& group) {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (fs::path path = fs::path(group).relative_path();; path = path.parent_path()) {
    const fs::path folder = fs::path(files.root) / path;
    const auto limit = number_in(folder / files.limit, "");
    const auto used = number_in(folder / files.used, "");
    if (limit && used) {
      const std::int64_t cache = number_in(folder / "memory.stat", files.cache).value_or(0);
      left = std::min(left, std::max<std::int64_t>(0, *limit - *used + std::min(cache, *used)));
    }
    if (path.empty()) return left;
  }
}

std::int64_t left_by_system() {
  if (const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:")) return *kibibytes * 1024;
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::int64_t available_memory() {
  std::int64_t available = left_by_system();
  std::ifstream groups("/proc/self/cgroup");  // lines "hierarchy:controllers:path"
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string hierarchy, controllers, path;
    std::getline(fields, hierarchy, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    if (controllers.empty()) available = std::min(available, left_in_group(kVersion2, path));
    if (("," + controllers + ",").find(",memory,") != std::string::npos)
      available = std::min(available, left_in_group(kVersion1, path));
  }
  return available;
}

}  // namespace gpuccl::io
