#include "io/image/image_axes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::io {

std::int64_t plane_place(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                         const std::string& option) {
  if (!chosen && size > 1)
    throw Error(Failure::data, fmt::format("contains {} {}; {} N selects one, from 0", size, what, option));
  if (chosen.value_or(0) >= size)
    throw NoSuchPlane(size, option,
                      fmt::format("has no {} {}: {}", option.substr(2), *chosen,
                                  size == 1 ? "there is one, number 0"
                                            : fmt::format("there are {} {}, numbered from 0", size, what)));
  return chosen.value_or(0);
}

void check_range(const PageRange& range, std::int64_t pages) {
  if (range.end <= pages) return;
  const std::int64_t missing = std::max(range.begin, pages);
  throw Error(Failure::data, fmt::format("has no page {}: {}", missing,
                                         pages == 1 ? "there is one, number 0"
                                                    : fmt::format("there are {}, numbered from 0", pages)));
}

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(Failure::data, why); }

/// x, y and z alone.
ImageAxes axes_of_space(const std::vector<NamedAxis>& axes) {
  ImageAxes image;
  std::vector<std::size_t> space;
  std::optional<std::size_t> named[3];
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].is_space) continue;
    space.push_back(i);
    for (int k = 0; k < 3; ++k)
      if (constexpr const char* kNames[] = {"x", "y", "z"}; axes[i].is_named(kNames[k])) named[k] = i;
  }
  if (space.size() < 2) refuse("has fewer than two axes of space");
  if (named[0] && named[1] && *named[0] != *named[1]) {
    image.x = *named[0];
    image.y = *named[1];
    image.z = named[2];
    if (!image.z && space.size() == 3)
      image.z = *std::find_if(space.begin(), space.end(),
                              [&](std::size_t i) { return i != image.x && i != image.y; });
  } else {
    image.x = space.back();
    image.y = space[space.size() - 2];
    if (space.size() > 2) image.z = space[space.size() - 3];
  }
  return image;
}

/// Selection by one option along axes of its kind: 0 if there are none, or it is taken already.
class Choice {
 public:
  Choice(const std::optional<int>& chosen, const char* what, const char* option)
      : chosen_(chosen), what_(what), option_(option) {}

  std::uint64_t along(const NamedAxis& axis) {
    is_taken_ = true;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::uint64_t>(
        plane_place(static_cast<std::int64_t>(std::min(axis.size, kMost)), chosen_, what_, option_));
  }
  void check_taken() const {
    if (!is_taken_) plane_place(1, chosen_, what_, option_);
  }

 private:
  const std::optional<int> chosen_;
  const char *what_, *option_;
  bool is_taken_ = false;
};

}  // namespace

bool NamedAxis::is_named(const char* one) const { return lower_case(name) == one; }

ImageAxes choose_axes(const std::vector<NamedAxis>& axes, const PlaneChoice& choice) {
  ImageAxes image = axes_of_space(axes);
  Choice channel(choice.channel, "channels", "--channel"), frame(choice.frame, "time points", "--frame");
  image.at.assign(axes.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const NamedAxis& axis = axes[i];
    if (i == image.x || i == image.y || i == image.z) continue;
    if (axis.size > 0 && axis.is_channel()) {
      image.at[i] = channel.along(axis);
    } else if (axis.size > 0 && axis.is_time()) {
      image.at[i] = frame.along(axis);
    } else if (axis.size != 1) {
      refuse("has " + std::to_string(axis.size) + " elements along its axis " +
             (axis.name.empty() ? std::to_string(i) : "'" + axis.name.substr(0, 60) + "'") +
             ", which is not x, y, z, channels or time; save one of them as a separate array");
    }
  }
  channel.check_taken();
  frame.check_taken();
  if (choice.series.value_or(0) > 0) refuse("contains one image; --series is for a TIFF with several");
  return image;
}

}  // namespace gpuccl::io
