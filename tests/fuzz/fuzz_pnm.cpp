#include "decode.hpp"

// The readers of PNM, BMP and JPEG.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode(data, size);
  return 0;
}
