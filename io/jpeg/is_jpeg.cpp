#include "io/jpeg/jpeg.hpp"

namespace gpuccl::io {

bool is_jpeg(const InputFile& file) {
  unsigned char start[3];
  return file.read_at(0, start, sizeof start) == sizeof start && start[0] == 0xff && start[1] == 0xd8 &&
         start[2] == 0xff;
}

}  // namespace gpuccl::io
