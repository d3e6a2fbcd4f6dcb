#pragma once

#include <string>

#include "gpuccl/periodic.hpp"

namespace gpuccl::app {

class Command;

/// --periodic, the axes along which opposite borders touch.
void add_periodic(const Command& command, PeriodicAxes& periodic, const std::string& help);

}  // namespace gpuccl::app
