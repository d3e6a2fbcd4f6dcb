#pragma once

#include <string>
#include <vector>

#include "gpuccl/measures.hpp"

namespace gpuccl::app {

class Command;

/// --periodic, the axes along which opposite borders touch.
void add_periodic(const Command& command, PeriodicAxes& periodic, const std::string& help);

/// "x", "y", "z": those that are periodic.
std::vector<std::string> names_of(const PeriodicAxes& periodic);

}  // namespace gpuccl::app
