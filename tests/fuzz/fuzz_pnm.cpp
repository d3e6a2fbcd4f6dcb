#include "decode.hpp"
#include "io/image/formats.hpp"

// The readers of PNM, BMP and JPEG, and what is said of a file that is of no format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  const auto is_wanted = [](const io::InputFile& file) {
    const io::FileStart start(file);
    return !start.is_of(io::kHdf5Format) && !start.is_of(io::kTiffFormat) && !start.is_of(io::kPngFormat);
  };
  fuzz::decode_if(is_wanted, data, size);
  return 0;
}
