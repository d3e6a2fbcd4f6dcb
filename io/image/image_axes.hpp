#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/image/read_options.hpp"

namespace gpuccl::io {

/// One axis of an array, as its metadata specifies it.
struct NamedAxis {
  std::string name;
  std::uint64_t size = 1;
  bool is_space = true;

  /// In any case of letters.
  bool is_named(const char* one) const;
  bool is_channel() const { return is_named("c") || is_named("channel"); }
  bool is_time() const { return is_named("t") || is_named("time"); }
};

/// Axes of an array that are the axes of an image.
struct ImageAxes {
  std::size_t x = 0, y = 0;
  std::optional<std::size_t> z;
  std::vector<std::uint64_t> at;  // along each axis that is none of these
};

/// By their names, else the last three of space; of channels and time points those that `choice` names.
/// Throws Error (data) where axes of several elements are left over, or are not as many as chosen.
ImageAxes choose_axes(const std::vector<NamedAxis>& axes, const PlaneChoice& choice);

}  // namespace gpuccl::io
