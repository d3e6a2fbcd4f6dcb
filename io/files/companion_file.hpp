#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/files/input_file.hpp"
#include "io/files/opened_files.hpp"

namespace gpuccl::io {

/// Returns the path of the file `name` in which, according to the file `header`, the samples are.
std::string companion_path(const std::string& header, const std::string& name);

/// The file `name` that the file `header` says its samples are in. It is in the folder of the header, or
/// below it, and no link leads out of that unless it is to `follow`: a header that comes from elsewhere is to
/// name nothing else. It is recorded in `opened`, if that is not null. Throws Error: data if the name leads
/// out of the folder, no_input if there is no such file, and as InputFile does.
std::shared_ptr<const InputFile> open_companion(const std::string& header, const std::string& name,
                                                bool follow, OpenedFiles* opened = nullptr);

}  // namespace gpuccl::io
