#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

bool is_png(const InputFile& file);

/// Reads the header. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_png(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
