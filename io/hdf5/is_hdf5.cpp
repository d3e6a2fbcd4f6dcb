#include <cstring>

#include "io/hdf5/hdf5.hpp"

namespace gpuccl::io {

bool is_hdf5(const ByteSource& file) {
  constexpr char kMagic[] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  for (const std::uint64_t user_block : {0, 512, 1024, 2048}) {
    char start[sizeof kMagic];
    if (file.read_at(user_block, start, sizeof start) != sizeof start) return false;
    if (std::memcmp(start, kMagic, sizeof start) == 0) return true;
  }
  return false;
}

}  // namespace gpuccl::io
