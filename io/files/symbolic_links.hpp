#pragma once

#include <filesystem>
#include <functional>
#include <optional>

namespace gpuccl::io {

/// Follows symbolic links from a name; the final target need not exist. `stop`, if given, is called with
/// every name on the way, including the first and the last, and ends the walk if it returns true. Returns
/// none if there are more links than the kernel follows.
std::optional<std::filesystem::path> follow_links(
    std::filesystem::path name, const std::function<bool(const std::filesystem::path& name)>& stop = nullptr);

}  // namespace gpuccl::io
