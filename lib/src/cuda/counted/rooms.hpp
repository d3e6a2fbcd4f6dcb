#pragma once

#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::counted {

/// cuda::room_makers() of the rooms that count their accesses.
std::vector<MakeLabeler> room_makers(const std::string& name);

}  // namespace gpuccl::counted
