#include "decode.hpp"

// The .npy reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] != 0x93) return 0;
  gpuccl::fuzz::decode(data, size);
  return 0;
}
