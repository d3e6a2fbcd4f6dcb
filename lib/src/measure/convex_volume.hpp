#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gpuccl::measuring {

/// Counts the voxels whose centers lie in the convex hull, or on it, of the points half a voxel next to those
/// of `voxels` along each axis. At least one voxel. Exact.
std::uint64_t convex_volume(const std::vector<std::array<int, 3>>& voxels);

}  // namespace gpuccl::measuring
