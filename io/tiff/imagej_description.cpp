#include "io/tiff/imagej_description.hpp"

#include <algorithm>

#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

}  // namespace

std::string imagej_description(Extent extent, Label max, const Spacing& spacing) {
  const std::string slices = std::to_string(extent.depth);
  std::string text = "ImageJ=1.11a\nimages=" + slices + "\n";
  if (extent.depth > 1) text += "slices=" + slices + "\n";
  // One line a property: what would break the line is no unit.
  if (!spacing.unit_name.empty() &&
      std::none_of(spacing.unit_name.begin(), spacing.unit_name.end(), is_control))
    text += "unit=" + spacing.unit_name + "\n";
  if (spacing.z_spacing > 0) text += "spacing=" + shortest(spacing.z_spacing) + "\n";
  text += "loop=false\nmin=0\nmax=" + std::to_string(max) + "\n";
  return text;
}

}  // namespace gpuccl::io
