#pragma once

#include <string>

namespace gpuccl::bench {

/// Error (unavailable) that names the package if gnuplot cannot be started.
void require_gnuplot();

/// What gnuplot writes to its standard output for `script`. Error (internal) if it fails.
std::string gnuplot(const std::string& script);

}  // namespace gpuccl::bench
