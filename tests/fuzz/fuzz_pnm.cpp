#include "decode.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/png/png.hpp"
#include "io/tiff/tiff.hpp"

// The readers of PNM, BMP and JPEG, and what is said of a file that is of no format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  const auto is_wanted = [](const io::InputFile& file) {
    return !io::is_hdf5(file) && !io::is_tiff(file) && !io::is_png(file);
  };
  fuzz::decode_if(is_wanted, data, size);
  return 0;
}
