#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

bool is_bmp(const InputFile& file);

/// A bitmap of Windows of 1, 4 or 8 bits, of 24 or of 32 (of which the last 8 mean nothing), uncompressed,
/// from the bottom up or from the top down. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_bmp(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
