#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::measuring {

/// `what`: which measures, and their verb.
inline Error not_enough_memory(const std::string& what, std::int64_t bytes) {
  return {Failure::memory, what + " " + std::to_string((bytes >> 20) + 1) +
                               " MiB of additional memory; set a larger --memory, or leave measures out"};
}

}  // namespace gpuccl::measuring
