#include "io/tiff/written_description.hpp"

#include "io/files/number_text.hpp"

namespace gpuccl::io {
std::string imagej_description(Extent extent, Label max, const Geometry& geometry) {
  const std::string slices = std::to_string(extent.depth);
  std::string text = "ImageJ=1.11a\nimages=" + slices + "\n";
  if (extent.depth > 1) text += "slices=" + slices + "\n";
  if (geometry.unit != LengthUnit::unknown) text += "unit=" + std::string(name_of(geometry.unit)) + "\n";
  if (geometry.spacing[2] > 0) text += "spacing=" + shortest(geometry.spacing[2]) + "\n";
  text += "loop=false\nmin=0\nmax=" + std::to_string(max) + "\n";
  return text;
}

}  // namespace gpuccl::io
