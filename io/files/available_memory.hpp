#pragma once

#include <cstdint>

namespace gpuccl::io {

/// Bytes that this process may still take: what the system has available, or less where a control group says
/// so.
std::int64_t available_memory();

}  // namespace gpuccl::io
