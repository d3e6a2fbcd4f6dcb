#pragma once

#include "cuda/runs/core/tile.cuh"
#include "cuda/runtime/launch.cuh"

namespace gpuccl::cuda::runs {

/// Calls launch_part(frame, shape) for one thread block a tile, as often as the limits of a grid ask for.
template <class Tile, class LaunchPart>
void for_all_tiles(const Frame& whole, LaunchPart launch_part) {
  static constexpr int kLimit = 65535;
  const auto rest = [](int tiles, int first) {
    return static_cast<unsigned>(tiles - first < kLimit ? tiles - first : kLimit);
  };
  Frame part = whole;
  for (part.first_z = 0; part.first_z < whole.tiles_z; part.first_z += kLimit)
    for (part.first_y = 0; part.first_y < whole.tiles_y; part.first_y += kLimit)
      launch_part(part,
                  LaunchShape{dim3(static_cast<unsigned>(whole.tiles_x), rest(whole.tiles_y, part.first_y),
                                   rest(whole.tiles_z, part.first_z)),
                              dim3(Tile::kThreads)});
}

}  // namespace gpuccl::cuda::runs
