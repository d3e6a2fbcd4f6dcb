#pragma once

#include <filesystem>
#include <functional>
#include <optional>

namespace gpuccl::io {

/// Where a name leads that may be a symbolic link to another; what the last one names need not exist. `stop`,
/// if given, sees every name on the way, the first and the last included, and ends the walk at one for which
/// it is true. Nothing if there are more links than the kernel follows.
std::optional<std::filesystem::path> follow_links(
    std::filesystem::path name, const std::function<bool(const std::filesystem::path& name)>& stop = nullptr);

}  // namespace gpuccl::io
