#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

bool is_pnm(const InputFile& file);

/// An image in one of the formats of Netpbm: PBM, PGM or PPM, as numbers (P1 to P3) or as bytes (P4 to P6).
/// In a PBM 1 is black, so that it is min-is-white. Of several images in a file the first. Throws Error
/// (data, io, memory).
std::unique_ptr<SampleSource> open_pnm(std::shared_ptr<const InputFile> file, const ReadOptions& options);

}  // namespace gpuccl::io
