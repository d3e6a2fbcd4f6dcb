#include "io/files/companion_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "gpuccl/error.hpp"

namespace gpuccl::io {

namespace fs = std::filesystem;

std::string companion_path(const std::string& header, const std::string& name) {
  return (fs::path(header).parent_path() / name).string();
}

std::shared_ptr<const InputFile> open_companion(const std::string& header, const std::string& name,
                                                std::int64_t max_held) {
  const fs::path path = name;
  if (header.empty() || header == "-")
    throw Error(Failure::data, "its samples are in '" + name + "'; give the header by its name");
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
    throw Error(Failure::data, "its samples are in '" + name + "', outside of the folder of the header");
  const std::string file = companion_path(header, name);
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown))
    throw Error(Failure::no_input, "its samples are missing: no file " + name + " next to it");
  return std::make_shared<const InputFile>(file, max_held);
}

}  // namespace gpuccl::io
