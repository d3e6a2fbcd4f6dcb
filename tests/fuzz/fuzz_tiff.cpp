#include "decode.hpp"

// The TIFF reader, with and without what chooses among pages.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  if (size > 1 && data[0] != data[1]) return 0;  // neither II nor MM
  const unsigned choice = size > 0 ? data[size - 1] : 0;
  fuzz::decode(choice, [&](io::ReadOptions options) {
    options.pages_apart = (choice & 16) != 0;
    if ((choice & 32) != 0) options.planes.series = static_cast<int>(choice >> 6);
    return io::open_file(fuzz::file_of(data, size), options);
  });
  return 0;
}
