#pragma once

#include <array>
#include <vector>

namespace gpuccl::measuring {

/// From an element to one of its neighbors.
struct Direction {
  int dx, dy, dz;
};

/// One of each two opposite directions to the neighbors, those along axes first.
inline constexpr Direction kDirectionsOfImage[] = {{-1, 0, 0}, {0, -1, 0}, {-1, -1, 0}, {1, -1, 0}};
inline constexpr Direction kDirectionsOfVolume[] = {
    {-1, 0, 0},  {0, -1, 0}, {0, 0, -1},   {-1, -1, 0}, {1, -1, 0},  {-1, 0, -1}, {1, 0, -1},
    {0, -1, -1}, {0, 1, -1}, {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}};

/// Returns the contribution of one intercept along each direction to the perimeter (images) or surface area
/// (volumes), by Crofton's formula: the density of lines, weighted by the fraction of all directions that are
/// nearest to it.
std::vector<double> crofton_weights(bool is_volume, const std::array<double, 3>& spacing);

}  // namespace gpuccl::measuring
