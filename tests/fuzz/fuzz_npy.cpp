#include "decode.hpp"
#include "io/npy/npy.hpp"

// The .npy reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode_if(gpuccl::io::is_npy, data, size);
  return 0;
}
