#include "decode.hpp"

// The reader of HDF5, above libhdf5.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuccl::fuzz::decode(data, size);
  return 0;
}
