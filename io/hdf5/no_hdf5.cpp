#include "gpuccl/types.hpp"
#include "io/hdf5/hdf5.hpp"

// Replaces the functions that need libhdf5 in builds without it.
namespace gpuccl::io {

std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile>, const ReadOptions&) {
  throw Error(ErrorCode::data, "is an HDF5 file, but this build has no libhdf5; write the dataset as TIFF");
}

void end_hdf5() noexcept {}

}  // namespace gpuccl::io
