#pragma once

#include "gpuccl/algorithms.hpp"

namespace gpuccl::app {

/// As --device takes it and reports say it.
inline const char* device_name(DeviceKind device) { return device == DeviceKind::cuda ? "cuda" : "cpu"; }

}  // namespace gpuccl::app
