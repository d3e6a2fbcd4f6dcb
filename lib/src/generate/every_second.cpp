#include "generate/kinds.hpp"

namespace gpuccl::generators {

void fill_every_second(std::uint32_t* row, int first, int width) {
  const std::uint32_t pattern = first % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
  for (int x = 0; x < width; x += 32)
    row[x / 32] = width - x < 32 ? pattern & ~(~0u << (width - x)) : pattern;
}

}  // namespace gpuccl::generators
