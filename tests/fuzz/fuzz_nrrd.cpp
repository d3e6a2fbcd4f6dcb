#include "decode.hpp"
#include "io/nrrd/nrrd.hpp"

// The NRRD reader: text, and what gzip compresses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode_if(gpuccl::io::is_nrrd, data, size);
  return 0;
}
