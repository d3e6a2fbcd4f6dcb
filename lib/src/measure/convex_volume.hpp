#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gpuccl::measuring {

/// Counts the voxels whose centers lie in or on the convex hull of `voxels`, each of which contributes the
/// six points half a voxel from its center along the axes. Exact. Requires at least one voxel.
std::uint64_t convex_volume(const std::vector<std::array<int, 3>>& voxels);

}  // namespace gpuccl::measuring
