#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

bool is_tiff(const InputFile& file);

/// Reads the directories of all pages. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_tiff(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
