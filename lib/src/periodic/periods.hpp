#pragma once

#include <array>
#include <cstdint>

namespace gpuccl {

/// Numbers of periods along x, y and z.
using Periods = std::array<std::int32_t, 3>;

}  // namespace gpuccl
