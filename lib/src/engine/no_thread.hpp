#pragma once

#include "gpuccl/error.hpp"

namespace gpuccl {

/// What std::system_error means that a labeler of the GPU throws: its labels come down in a thread of their
/// own.
inline Error no_thread() { return {Failure::unavailable, "no thread could be started for it"}; }

}  // namespace gpuccl
