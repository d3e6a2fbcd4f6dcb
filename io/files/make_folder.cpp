#include "io/files/make_folder.hpp"

#include <system_error>

#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::io {

void make_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  std::error_code unknown;
  if (problem && !std::filesystem::is_directory(folder, unknown))
    throw FileError(folder.string(), failure_to_create(problem.value()),
                    "cannot create the folder (" + system_reason(problem.value()) + ")", problem.value());
}

}  // namespace gpuccl::io
