#pragma once

#include <string>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Returns the formats that open_file() supports.
std::string read_formats();

/// Returns the formats whose libraries this build lacks, with their names; "" if it lacks none.
std::string formats_not_built_in();

/// Compressions of Zarr and HDF5 that this build has, or lacks.
std::string chunk_codecs(bool built_in);

/// Why `file` cannot be read: what it is, with what to do about it, where its first bytes tell.
Error unknown_format(const InputFile& file);

}  // namespace gpuccl::io
