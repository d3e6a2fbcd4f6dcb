#include "decode.hpp"

// The TIFF reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1 && data[0] != data[1]) return 0;  // neither II nor MM
  gpuccl::fuzz::decode(data, size);
  return 0;
}
