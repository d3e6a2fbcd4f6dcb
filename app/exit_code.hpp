#pragma once

#include "gpuccl/error.hpp"

namespace gpuccl::app {

/// What the program returns, beside the codes of the failures (sysexits, all below 126).
inline constexpr int kSuccess = 0;
inline constexpr int kDifferent = 1;  // `compare` found a difference

/// THE table: the exit code of each failure.
int exit_code(Failure failure);

}  // namespace gpuccl::app
