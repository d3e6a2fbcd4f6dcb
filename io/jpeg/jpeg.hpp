#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Opens a JPEG of 8 bits, gray or color. Throws Error (data) if it is damaged, truncated, lossless, of 12
/// bits or CMYK, or in a build without libjpeg; (io, memory).
std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
