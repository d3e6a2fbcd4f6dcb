#include "io/tiff/tiff_series.hpp"

#include <string>

#include "gpuccl/types.hpp"
#include "io/image/plane_place.hpp"

namespace gpuccl::io {
const TiffSeries& chosen_series(const std::vector<TiffSeries>& series, const PlaneChoice& choice) {
  return series[static_cast<std::size_t>(
      plane_place(static_cast<std::int64_t>(series.size()), choice.series, "images", "--series"))];
}

std::vector<std::int64_t> chosen_planes(const std::vector<TiffSeries>& series, const PlaneChoice& choice) {
  const TiffSeries& one = chosen_series(series, choice);
  check_order(one);
  const std::int64_t frame = plane_place(one.frames, choice.frame, "time points", "--frame");
  const std::int64_t channel = plane_place(one.channels, choice.channel, "channels", "--channel");
  std::int64_t plane = one.first, step = 1, stride = 1;
  for (const char axis : one.order) {
    if (axis == 'Z')
      step = stride;
    else
      plane += stride * (axis == 'C' ? channel : frame);
    stride *= axis == 'C' ? one.channels : axis == 'T' ? one.frames : one.slices;
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 22;  // no file has so many, and the list takes memory
  if (one.slices > kMost)
    throw Error(Failure::data, "its description lists " + std::to_string(one.slices) + " slices");
  std::vector<std::int64_t> planes;
  for (std::int64_t i = 0; i < one.slices; ++i) planes.push_back(plane + i * step);
  return planes;
}

void check_order(const TiffSeries& series) {
  if (series.is_scattered)
    throw Error(Failure::data,
                "stores its planes in other files or in an unsupported order; --page N..M reads pages as "
                "they follow each other in the file");
}

}  // namespace gpuccl::io
