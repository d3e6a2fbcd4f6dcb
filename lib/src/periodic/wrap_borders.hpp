#pragma once

#include <cstdint>
#include <span>

#include "gpuccl/measures.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

/// Wraps labels at the borders, as wrap(). `components` contains at least those whose labels are at the
/// borders.
Wrapped wrap_borders(const BorderRuns& borders, const Extent& extent, const Components& components,
                     Connectivity connectivity, const PeriodicAxes& periodic,
                     std::span<const std::uint64_t> values);

}  // namespace gpuccl
