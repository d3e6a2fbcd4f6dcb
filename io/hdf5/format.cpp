#include "gpuccl/types.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::io {

#ifndef GPUCCL_HAS_HDF5
std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile>, const ReadOptions&) {
  throw Error(ErrorCode::data, "is an HDF5 file, but this build has no libhdf5; write the dataset as TIFF");
}

void end_hdf5() noexcept {}
#endif

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";  // a user block may be before it, as in a .mat
const InputFormat kHdf5Format{
    .word = "hdf5",
    .title = "HDF5",
    .extensions = {{{".h5"}, {".hdf5"}, {".he5"}, {".nc"}}},
    .magic = {{{0, kSignature}, {512, kSignature}, {1024, kSignature}, {2048, kSignature}}},
    .open = open_hdf5,
    .selects_planes = true,
#ifndef GPUCCL_HAS_HDF5
    .lacks = "libhdf5",
#endif
};

}  // namespace gpuccl::io
