#pragma once

#include <memory>

#include "io/input_file.hpp"
#include "io/reader.hpp"
#include "io/samples.hpp"

namespace gpuccl::io {

bool is_tiff(const InputFile& file);

/// Reads the directories of all pages. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_tiff(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
