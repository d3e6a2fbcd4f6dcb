#pragma once

#include <string>

namespace gpuccl::io {

/// "71 MiB", "8 KiB": rounded up.
std::string bytes_in_words(double bytes);

}  // namespace gpuccl::io
