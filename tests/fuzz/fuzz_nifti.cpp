#include "decode.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/image/formats.hpp"

// The readers of NIfTI and MRC, also of what gzip compresses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  const auto is_wanted = [](const io::InputFile& file) {
    const io::FileStart start(file);
    return start.is_of(io::kNiftiFormat) || start.is_of(io::kMrcFormat) || io::is_gzip(file);
  };
  fuzz::decode_if(is_wanted, data, size);
  return 0;
}
