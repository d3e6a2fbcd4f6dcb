#include "io/files/input_name.hpp"

#include <filesystem>
#include <system_error>

namespace gpuccl::io {

InputName split_input(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  std::size_t at = path.find(":/");
  if (at == std::string::npos || fs::exists(fs::symlink_status(path, unknown))) return {path, ""};
  for (; at != std::string::npos; at = path.find(":/", at + 1)) {
    const std::string file = path.substr(0, at);
    const fs::file_status status = fs::status(file, unknown);
    if (fs::exists(status) && !fs::is_directory(status)) return {file, path.substr(at + 1)};
  }
  return {path, ""};
}

bool looks_inside(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  for (std::size_t at = path.find(':'); at != std::string::npos; at = path.find(':', at + 1))
    if (fs::is_regular_file(path.substr(0, at), unknown)) return true;
  return false;
}

}  // namespace gpuccl::io
