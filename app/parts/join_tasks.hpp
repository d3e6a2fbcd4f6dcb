#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuccl::app {

struct Joined {
  std::uint64_t count;
  const char* of_what;
};

/// Unites the components of parts that were labeled, and numbers them, unless that is done; where holes are
/// to be filled, first finds these. Returns how many there are; nothing if the run is finished. Throws
/// io::FileError, which names parts that are to be run again.
std::optional<Joined> join_tasks(const std::string& folder);

}  // namespace gpuccl::app
