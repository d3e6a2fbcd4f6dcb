#include "io/tiff/tiff_geometry.hpp"

#include <charconv>
#include <cstdint>
#include <iterator>

namespace gpuccl::io {
namespace {

/// To as many digits as libtiff, which makes a float of a fraction, leaves of the number that was meant.
double reciprocal(double resolution) {
  constexpr int kDigits = 7;
  char text[32];
  const auto written =
      std::to_chars(std::begin(text), std::end(text), 1 / resolution, std::chars_format::general, kDigits);
  double value = 0;
  std::from_chars(std::begin(text), written.ptr, value);
  return value;
}

}  // namespace

Resolution read_resolution(const TiffHandle& tiff) {
  float x = 0, y = 0;
  TIFFGetField(tiff.get(), TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(tiff.get(), TIFFTAG_YRESOLUTION, &y);
  const Resolution resolution = {x, y, ResolutionUnit::none};
  if (!resolution.is_known()) return {};
  switch (tiff.field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH)) {
    case RESUNIT_INCH:
      return {x, y, ResolutionUnit::inch};
    case RESUNIT_CENTIMETER:
      return {x, y, ResolutionUnit::centimetre};
    default:
      return resolution;
  }
}

void add_spacing(const TiffDescription& description, Geometry& geometry) {
  geometry.unit = description.unit;
  geometry.spacing = description.spacing;
  if (geometry.is_known()) {
    geometry.resolution = {};
  } else if (geometry.unit != LengthUnit::unknown && geometry.resolution.is_known()) {
    geometry.spacing[0] = reciprocal(geometry.resolution.x);
    geometry.spacing[1] = reciprocal(geometry.resolution.y);
  }
}

}  // namespace gpuccl::io
