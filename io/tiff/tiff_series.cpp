#include "io/tiff/tiff_series.hpp"

#include <string>

#include "gpuccl/error.hpp"
#include "io/image/plane_place.hpp"

namespace gpuccl::io {
const TiffSeries& chosen_series(const std::vector<TiffSeries>& series, const PlaneChoice& choice) {
  return series[static_cast<std::size_t>(
      plane_place(static_cast<std::int64_t>(series.size()), choice.series, "images", "--series"))];
}

std::vector<std::int64_t> chosen_planes(const std::vector<TiffSeries>& series, const PlaneChoice& choice,
                                        bool may_take_others) {
  const TiffSeries& one = chosen_series(series, choice);
  char along = 'Z';
  if (one.slices == 1 && may_take_others) {
    if (one.frames > 1 && !choice.frame)
      along = 'T';
    else if (one.channels > 1 && !choice.channel)
      along = 'C';
  }
  const std::int64_t frame =
      along == 'T' ? 0 : plane_place(one.frames, choice.frame, "points in time", "--frame");
  const std::int64_t channel =
      along == 'C' ? 0 : plane_place(one.channels, choice.channel, "channels", "--channel");
  std::int64_t plane = one.first, step = 1, stride = 1, count = 1;
  for (const char axis : one.order) {
    const std::int64_t size = axis == 'C' ? one.channels : axis == 'T' ? one.frames : one.slices;
    if (axis == along) {
      step = stride;
      count = size;
    } else {
      plane += stride * (axis == 'C' ? channel : axis == 'T' ? frame : 0);
    }
    stride *= size;
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 22;  // no file has so many, and the list takes memory
  if (count > kMost)
    throw Error(Failure::data, "its description tells of " + std::to_string(count) + " slices");
  std::vector<std::int64_t> planes;
  for (std::int64_t i = 0; i < count; ++i) planes.push_back(plane + i * step);
  return planes;
}

}  // namespace gpuccl::io
