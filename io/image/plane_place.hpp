#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// Checks that an input of `pages` pages or slices has those of `range`. Throws Error (data).
void check_range(const PageRange& range, std::int64_t pages);

/// Thrown where an axis has no such place; it knows how many there are.
class NoSuchPlane : public Error {
 public:
  NoSuchPlane(std::int64_t size, std::string option, const std::string& reason)
      : Error(Failure::data, reason), size_(size), option_(std::move(option)) {}
  std::int64_t size() const { return size_; }
  const std::string& option() const { return option_; }

 private:
  std::int64_t size_;
  std::string option_;
};

/// The place along an axis of `size` elements, such as "channels", of which `option`, such as "--channel",
/// chooses one. Throws NoSuchPlane if it chooses one that is not there, Error (data) if none of several.
std::int64_t plane_place(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                         const std::string& option);

}  // namespace gpuccl::io
