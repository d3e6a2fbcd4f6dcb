#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuccl::app {

/// Unites the components of parts that were labelled, and numbers them, unless that is done. Returns how many
/// there are; nothing if the run is finished. Throws io::FileError, which names parts that are to be labelled
/// again.
std::optional<std::uint64_t> join_tasks(const std::string& folder);

}  // namespace gpuccl::app
