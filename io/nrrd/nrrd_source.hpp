#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// An NRRD of one image or volume, or the header of one whose samples lie in a file next to it. Throws Error
/// (data, io, memory; no_input if there are no samples).
std::unique_ptr<SampleSource> open_nrrd(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
