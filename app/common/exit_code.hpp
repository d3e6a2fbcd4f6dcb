#pragma once

#include "gpuccl/types.hpp"

namespace gpuccl::app {

/// Exit codes of the program, in addition to those of failures (sysexits, all below 126).
inline constexpr int kSuccess = 0;
inline constexpr int kDifferent = 1;  // `compare` or `verify` found a difference
inline constexpr int kMixed = 1;      // inputs of a batch, or images of bench, failed for different reasons

/// The exit code of each failure, for the whole program.
int exit_code(Failure failure);

}  // namespace gpuccl::app
