#include "app/bench/markup.hpp"

#include "app/common/messages.hpp"

namespace gpuccl::bench {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : app::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace gpuccl::bench
