#pragma once

#include <cstdint>
#include <string>

#include "gpuccl/extent.hpp"

namespace gpuccl::io {

/// Resolution and unit, carried over from the input to the label image.
struct Spacing {
  double x_resolution = 0;  // pixels per unit; 0: unknown
  double y_resolution = 0;
  int unit = 1;           // TIFF's ResolutionUnit: 1 none, 2 inch, 3 centimetre
  double z_spacing = 0;   // distance of slices as ImageJ stores it; 0: unknown
  std::string unit_name;  // ImageJ's unit, for example "um"; empty: unknown
};

/// What the header of an input says, and which rule makes its samples foreground.
struct ImageInfo {
  std::string path;    // as given; "-" for stdin
  std::string format;  // "png", "tiff", "stack"
  Extent extent;
  int bits_per_sample = 0;
  std::string photometric;  // "min-is-black", "min-is-white", "palette", "rgb", ...
  // "nonzero", "luma > 0", "value > 128", "otsu: value > 93.5", with ", inverted"; empty before Otsu's
  // threshold was looked for.
  std::string foreground_rule;
  Spacing spacing;
  bool is_described_stack = false;  // a TIFF that says, as ImageJ's do, which slices it holds
};

}  // namespace gpuccl::io
