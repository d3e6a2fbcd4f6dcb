#include "decode.hpp"

// The NRRD reader: text, and what gzip compresses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode(data, size);
  return 0;
}
