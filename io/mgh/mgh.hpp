#pragma once

#include <memory>

#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Returns whether a file is a volume of FreeSurfer. It has no magic number, so all fields are checked.
bool is_mgh(const InputFile& file);
bool is_mgh(const GunzippedFile& file);

/// Opens a .mgh, or the contents of a .mgz. Throws Error (data, memory).
std::unique_ptr<SampleSource> open_mgh(std::shared_ptr<const InputFile> file, const ReadOptions& options);
std::unique_ptr<SampleSource> open_mgh(std::shared_ptr<GunzippedFile> contents, const ReadOptions& options);

}  // namespace gpuccl::io
