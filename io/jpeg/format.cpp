#include "io/image/formats.hpp"
#include "io/jpeg/jpeg.hpp"

namespace gpuccl::io {

const InputFormat kJpegFormat{.word = "jpeg",
                              .title = "JPEG",
                              .extensions = {{{".jpg"}, {".jpeg"}}},
                              .magic = {{{0, "\xff\xd8\xff"}}},
                              .open = open_jpeg,
                              .is_one_image = true};

}  // namespace gpuccl::io
