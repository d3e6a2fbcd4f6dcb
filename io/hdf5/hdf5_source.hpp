#pragma once

#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Returns true for HDF5 files, also after a user block, as in a .mat of MATLAB 7.3.
bool is_hdf5(const ByteSource& file);

/// The dataset that the name of the file chooses, or the only one that may be an image; chunks are decoded in
/// parallel, spacing and names of axes are those of element_size_um and axistags. Nothing of other files is
/// read. Error (data) in a build without libhdf5; (data, io, memory; no_input if there is no such dataset).
std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options);

/// From now on no more HDF5 files are opened, and nobody waits longer than a moment for libhdf5: for a
/// program that is to end. Error (io) is thrown then. May be called by a signal handler.
void end_hdf5() noexcept;

}  // namespace gpuccl::io
