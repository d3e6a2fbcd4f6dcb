#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpuccl/measures.hpp"

// Geometry for measures of shape.
namespace gpuccl::measuring {

/// Second central moments along x, y, z, divided by the number of elements.
using Covariance = std::array<std::array<double, 3>, 3>;

/// Derives measures of the ellipse or ellipsoid with the same moments.
void derive_ellipse(const Covariance& covariance, MeasureValues& values);
void derive_ellipsoid(const Covariance& covariance, MeasureValues& values);
/// Derives them in physical units.
void derive_physical_ellipse(const Covariance& covariance, MeasureValues& values);
void derive_physical_ellipsoid(const Covariance& covariance, MeasureValues& values);

/// Counts the voxels whose centers lie in or on the convex hull of `voxels`. Each voxel contributes the six
/// points half a voxel from its center along the axes. Exact. Requires at least one voxel.
std::uint64_t convex_volume(const std::vector<std::array<int, 3>>& voxels);

}  // namespace gpuccl::measuring
