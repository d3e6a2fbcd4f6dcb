#pragma once

#include <string>

namespace gpuccl::bench {

/// `text`, printable, as characters of HTML or SVG.
std::string escaped(const std::string& text);

}  // namespace gpuccl::bench
