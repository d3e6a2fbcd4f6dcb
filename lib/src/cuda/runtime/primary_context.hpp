#pragma once

namespace gpuccl::cuda {

/// Whether this process has used device `gpu`. Making a device current that it has not would start it, which
/// takes a good part of a second and of a gigabyte.
bool has_primary_context(int gpu);

}  // namespace gpuccl::cuda
