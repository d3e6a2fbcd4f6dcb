#include "decode.hpp"
#include "io/metaimage/metaimage.hpp"

// The MetaImage reader: text, and what zlib compresses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode_if(gpuccl::io::is_metaimage, data, size);
  return 0;
}
