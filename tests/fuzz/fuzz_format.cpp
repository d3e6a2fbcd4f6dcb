#include "decode.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/image/formats.hpp"
#include "io/metaimage/metaimage.hpp"

// The readers of one kind of files: CMake defines GPUCCL_WANTED, which chooses them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  using namespace gpuccl::io;
  const auto is_wanted = [](const InputFile& file) {
    [[maybe_unused]] const FileStart start(file);
    return GPUCCL_WANTED;
  };
  fuzz::decode_if(is_wanted, data, size);
  return 0;
}
