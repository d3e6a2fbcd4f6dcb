#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Checks that an input of `pages` pages or slices has those of `range`. Throws Error (data).
void check_range(const PageRange& range, std::int64_t pages);

/// The place along an axis of `size` elements, such as "channels", of which `option`, such as "--channel",
/// chooses one. Throws Error (data) if it chooses one that is not there, or none of several.
std::int64_t plane_place(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                         const std::string& option);

}  // namespace gpuccl::io
