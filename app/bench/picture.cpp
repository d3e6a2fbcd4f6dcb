#include "app/bench/picture.hpp"

#include <cstddef>

#include "io/png/png_output.hpp"

namespace gpuccl::bench {

std::string as_png(const Picture& picture) {
  std::string bytes;
  const auto append = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  io::PngOutput png(append, {picture.width, picture.height, 8, io::PngColor::rgb, 6, {}});
  png.write_rows(picture.rgb.data(), static_cast<std::size_t>(picture.width) * 3,
                 static_cast<std::size_t>(picture.height));
  png.finish();
  return bytes;
}

}  // namespace gpuccl::bench
