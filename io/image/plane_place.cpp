#include "io/image/plane_place.hpp"

#include <algorithm>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

std::int64_t plane_place(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                         const std::string& option) {
  if (!chosen && size > 1)
    throw Error(Failure::data,
                "contains " + std::to_string(size) + " " + what + "; " + option + " N selects one, from 0");
  if (chosen.value_or(0) >= size)
    throw NoSuchPlane(
        size, option,
        "has no " + option.substr(2) + " " + std::to_string(*chosen) + ": " +
            (size == 1 ? "there is one, number 0"
                       : "there are " + std::to_string(size) + " " + what + ", numbered from 0"));
  return chosen.value_or(0);
}

void check_range(const PageRange& range, std::int64_t pages) {
  if (range.end <= pages) return;
  const std::int64_t missing = std::max(range.begin, pages);
  throw Error(Failure::data, "has no page " + std::to_string(missing) + ": " +
                                 (pages == 1 ? "there is one, number 0"
                                             : "there are " + std::to_string(pages) + ", numbered from 0"));
}

}  // namespace gpuccl::io
