#include "decode.hpp"

// The NIfTI reader, also of what gzip compresses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode(data, size);
  return 0;
}
