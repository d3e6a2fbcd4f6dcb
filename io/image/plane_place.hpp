#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuccl::io {

/// The place along an axis of `size` elements, such as "channels", of which `option`, such as "--channel",
/// chooses one. Throws Error (data) if it chooses one that is not there, or none of several.
std::int64_t plane_place(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                         const std::string& option);

}  // namespace gpuccl::io
