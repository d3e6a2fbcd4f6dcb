#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Returns true for HDF5 files, also after a user block, as in a .mat of MATLAB 7.3.
inline bool is_hdf5(const ByteSource& file) {
  constexpr char kMagic[] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  for (const std::uint64_t user_block : {0, 512, 1024, 2048}) {
    char start[sizeof kMagic];
    if (file.read_at(user_block, start, sizeof start) != sizeof start) return false;
    if (std::memcmp(start, kMagic, sizeof start) == 0) return true;
  }
  return false;
}

/// Opens the dataset that the name of the file selects, or the only one that may be an image. Chunks are
/// decoded in parallel. Spacing and names of axes are from element_size_um and axistags. Other files are not
/// read. Throws Error (data, io, memory; no_input if there is no such dataset; data without libhdf5).
std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options);

/// Prepares for the end of the program: opening HDF5 files and waiting for libhdf5 longer than a moment throw
/// Error (io) from this call on. Signal handlers may call it.
void end_hdf5() noexcept;

}  // namespace gpuccl::io
