#pragma once

#include <optional>
#include <string>

namespace tests {

/// Path of a file of the folder that the environment variable GPUCCL_SHARED names (else ../shared beside the
/// checkout), or nothing when it is not there; then the test says that it is skipped.
std::optional<std::string> shared_file(const std::string& name);

}  // namespace tests
