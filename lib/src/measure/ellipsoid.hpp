#pragma once

#include <array>

#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

/// Central moments of second order along x, y, z, divided by the number of elements.
using Covariance = std::array<std::array<double, 3>, 3>;

/// Derives measures of the ellipse or ellipsoid with the same moments.
void derive_ellipse(const Covariance& covariance, MeasureValues& values);
void derive_ellipsoid(const Covariance& covariance, MeasureValues& values);
/// Derives them in physical units.
void derive_physical_ellipse(const Covariance& covariance, MeasureValues& values);
void derive_physical_ellipsoid(const Covariance& covariance, MeasureValues& values);

}  // namespace gpuccl::measuring
