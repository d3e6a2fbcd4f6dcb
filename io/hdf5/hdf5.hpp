#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Opens the dataset that the name of the file selects, or the only one that may be an image. Chunks are
/// decoded in parallel. Spacing and names of axes are from element_size_um and axistags. Other files are not
/// read. Throws Error (data, io, memory; no_input if there is no such dataset; data without libhdf5).
std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options);

/// Prepares for the end of the program: opening HDF5 files and waiting for libhdf5 longer than a moment throw
/// Error (io) from this call on. Signal handlers may call it.
void end_hdf5() noexcept;

}  // namespace gpuccl::io
