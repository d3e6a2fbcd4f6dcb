#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// An array of numpy: truth values, whole or floating-point numbers, either byte order, C or Fortran order,
/// 2 axes (y, x) or 3 (z, y, x). Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_npy(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
