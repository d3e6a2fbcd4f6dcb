#include "decode.hpp"
#include "io/image/formats.hpp"

// The .npy reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto is_wanted = [](const gpuccl::io::InputFile& file) {
    return gpuccl::io::FileStart(file).is_of(gpuccl::io::kNpyFormat);
  };
  gpuccl::fuzz::decode_if(is_wanted, data, size);
  return 0;
}
