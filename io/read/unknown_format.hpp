#pragma once

#include <string>

#include "gpuccl/error.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// What open_file() knows.
inline constexpr const char* kReadFormats = "PNG, TIFF, .npy, NIfTI, NRRD, MetaImage, OME-Zarr";

/// Why `file` cannot be read: what it is, with what to do about it, where its first bytes tell.
Error unknown_format(const InputFile& file);

}  // namespace gpuccl::io
