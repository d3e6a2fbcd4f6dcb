#include "io/files/number_text.hpp"

#include <array>
#include <charconv>

namespace gpuccl::io {

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace gpuccl::io
