#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// A MetaImage of one image or volume (.mha), or the header of one whose samples lie in a file next to it
/// (.mhd). Throws Error (data, io, memory; no_input if there are no samples).
std::unique_ptr<SampleSource> open_metaimage(std::shared_ptr<const InputFile> file,
                                             const ReadOptions& options);

}  // namespace gpuccl::io
