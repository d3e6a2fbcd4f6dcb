#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Checks that an input of `pages` pages or slices has those of `range`. Throws Error (data).
void check_range(const PageRange& range, std::int64_t pages);

/// Thrown where an axis has no such place; it knows how many there are.
class NoSuchPlane : public Error {
 public:
  NoSuchPlane(std::int64_t size, std::string option, const std::string& reason)
      : Error(ErrorCode::data, reason), size_(size), option_(std::move(option)) {}
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

/// Chooses axes by their names, else the last three of space. `choice` selects channel and time point.
/// Throws Error (data) where axes of several elements are left over, or are not as many as chosen.
ImageAxes choose_axes(const std::vector<NamedAxis>& axes, const PlaneChoice& choice);

/// The slices of `source` in `range`, as an input of its own. Throws Error (data) if it has not all of them.
std::unique_ptr<SampleSource> open_slices(std::unique_ptr<SampleSource> source, const PageRange& range);

/// The indices of samples that have a palette, as gray.
std::unique_ptr<SampleSource> open_indices(std::unique_ptr<SampleSource> source);

/// One channel of the pixels of `source`, as gray. Throws Error (data) if it has no such channel, or samples
/// that are not in whole bytes.
std::unique_ptr<SampleSource> open_channel(std::unique_ptr<SampleSource> source, int channel);

}  // namespace gpuccl::io
