#pragma once

#include <cstdint>
#include <span>

#include "gpuccl/periodic.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

/// As wrap(), of labels at the borders; `components` are those of all labels that are there, and maybe
/// others.
Wrapped wrap_borders(const BorderRuns& borders, const Extent& extent, const Components& components,
                     Connectivity connectivity, const PeriodicAxes& periodic,
                     std::span<const std::uint64_t> values);

}  // namespace gpuccl
