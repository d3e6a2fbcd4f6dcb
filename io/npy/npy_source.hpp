#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

bool is_npy(const InputFile& file);

/// An array of numpy: whole or floating-point numbers, little-endian, C order, 2 axes (y, x) or 3 (z, y, x).
/// Throws Error (data, io).
std::unique_ptr<SampleSource> open_npy(std::shared_ptr<const InputFile> file, const Limits& limits);

}  // namespace gpuccl::io
