#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// A JPEG of 8 bits, gray or color. Error (data) in a build without libjpeg, as for what is damaged, ends
/// early, or is lossless, of 12 bits or CMYK; (io, memory).
std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
