#pragma once

#include <string>

namespace gpuccl::bench {

/// `text`, printable, as characters of HTML or SVG.
std::string escaped(const std::string& text);

/// `bytes` in letters, as data: addresses have them.
std::string base64(const std::string& bytes);

}  // namespace gpuccl::bench
