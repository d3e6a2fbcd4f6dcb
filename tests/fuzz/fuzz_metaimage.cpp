#include "decode.hpp"

// The MetaImage reader: text, and what zlib compresses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode(data, size);
  return 0;
}
