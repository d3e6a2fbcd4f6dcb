#include "gpuccl/types.hpp"
#include "io/jpeg/jpeg.hpp"

// Replaces the functions that need libjpeg in builds without it.
namespace gpuccl::io {

std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile>, const ReadOptions&) {
  throw Error(ErrorCode::data, "is a JPEG, but this build has no libjpeg; convert it to PNG or TIFF");
}

}  // namespace gpuccl::io
