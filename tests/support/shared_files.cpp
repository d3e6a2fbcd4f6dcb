#include "support/shared_files.hpp"

#include <cstdlib>
#include <filesystem>

#include "support/catch.hpp"

namespace tests {

std::optional<std::string> shared_file(const std::string& name) {
  const char* const folder = std::getenv("GPUCCL_SHARED");
  const std::string path = std::string(folder != nullptr ? folder : "../shared") + "/" + name;
  if (std::filesystem::exists(path)) return path;
  WARN("skipped: there is no " << path);
  return std::nullopt;
}

}  // namespace tests
