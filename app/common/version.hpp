#pragma once

#include <string>

namespace gpuccl::app {

/// "0.1.0".
std::string version();
/// The commit this was built from, "" if it was not built from a clone.
std::string commit();
/// "gpuccl 0.1.0 (commit 0123abc)".
std::string version_line();

}  // namespace gpuccl::app
