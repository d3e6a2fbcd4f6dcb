#pragma once

#include "gpuccl/algorithms.hpp"

namespace gpuccl::app {

/// Returns the name of a device in --device and in reports.
inline const char* device_name(DeviceKind device) { return device == DeviceKind::cuda ? "cuda" : "cpu"; }

}  // namespace gpuccl::app
