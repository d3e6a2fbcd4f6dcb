#include "io/files/bytes_in_words.hpp"

#include <cmath>

namespace gpuccl::io {

std::string bytes_in_words(double bytes) {
  if (bytes < 1 << 14) return std::to_string(std::llround(std::ceil(bytes))) + " bytes";
  const bool is_large = bytes > 1 << 20;
  return std::to_string(std::llround(std::ceil(bytes / (is_large ? 1 << 20 : 1 << 10)))) +
         (is_large ? " MiB" : " KiB");
}

}  // namespace gpuccl::io
