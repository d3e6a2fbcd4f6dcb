#pragma once

#include <string>

namespace gpuccl::io {

/// The shortest text that is read back as the same number: "0.1", "1e+30".
std::string shortest(double value);

}  // namespace gpuccl::io
