// Noise as in the random datasets of YACCLAB (Grana, Bolelli, Baraldi, Vezzani 2016): squares of
// `granularity` pixels (cubes in a volume), each foreground with probability `density`, drawn by MT19937 in
// raster order.

#include <algorithm>

#include "common/row_bits.hpp"
#include "generate/kinds.hpp"

namespace gpuccl::generators {

void random(const GenerateOptions& options, BitVolume& image) {
  std::mt19937 draw(options.seed);
  const std::uint64_t foreground = share_of_draws(options.density);
  const Extent extent = image.extent();
  const int side = options.granularity;
  const std::int64_t pitch = image.row_pitch();

  for (int z = 0; z < extent.depth; z += std::min(side, extent.depth - z)) {
    for (int y = 0; y < extent.height; y += std::min(side, extent.height - y)) {
      std::uint32_t* const first = image.row(y, z);
      for (int x = 0; x < extent.width;) {
        const int end = extent.width - x < side ? extent.width : x + side;
        if (draw() < foreground) fill_span(first, x, end);
        x = end;
      }
      for (int row = y + 1; row < extent.height && row - y < side; ++row)
        std::copy_n(first, pitch, image.row(row, z));
    }
    for (int slice = z + 1; slice < extent.depth && slice - z < side; ++slice)
      std::copy_n(image.row(0, z), pitch * extent.height, image.row(0, slice));
  }
}

}  // namespace gpuccl::generators
